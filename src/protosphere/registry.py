"""Named things of one kind: entered once each, found by name, and a misspelt name answered with the nearest."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from protosphere.errors import InvalidArgumentError, brief

Entry = TypeVar("Entry")

NEAREST = 3
"""How many names an error suggests where none is near."""

LONGEST_NAME = 100
"""Characters of a name that are compared with others."""


class Registry(Mapping[str, Entry]):
    """Entries by name, in the order in which they came; `argument` is what users give such a name as.

    Where there is a `listing`, a sentence that says how to see all names, an error names the nearest ones alone.

    >>> fruits: Registry[int] = Registry("fruit")
    >>> fruits.add("apple", 1)
    >>> fruits.named("appel")
    Traceback (most recent call last):
        ...
    protosphere.errors.InvalidArgumentError: 'fruit' is not one we know, got 'appel'; did you mean 'apple'?
    """

    def __init__(
        self, kind: str, argument: str | None = None, listing: str | None = None
    ) -> None:
        self.kind, self.argument, self.listing = kind, argument or kind, listing
        self._entries: dict[str, Entry] = {}
        self._former: dict[str, str] = {}

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, name: str, entry: Entry, formerly: str | None = None) -> None:
        """Enter it; a second one of the same name, or of a former one, is refused."""
        for taken in (name, formerly):
            if taken in self or taken in self._former:
                raise InvalidArgumentError(
                    f"a {self.kind} named '{taken}' is registered already; choose another name"
                )
        if formerly is not None:
            self._former[formerly] = name
        self._entries[name] = entry

    def register(
        self, entry_of: Callable[[Any], Any], formerly: str | None = None
    ) -> Callable[[Any], Any]:
        """A decorator that enters the record which `entry_of` makes of what is decorated, under that record's name."""

        def registered(made: Any) -> Any:
            entry = entry_of(made)
            self.add(entry.name, entry, formerly)
            return made

        return registered

    def named(self, name: str, otherwise: str = "") -> Entry:
        """The entry of that name, or that once had it; one sentence where there is none, ending in `otherwise`."""
        if isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
            current = self._former.get(name, name)
            if current in self:
                return self[current]
        raise InvalidArgumentError(
            f"'{self.argument}' is not one we know, got {brief(name)}; {self._hint(str(name), otherwise)}"
        )

    def _hint(self, name: str, otherwise: str) -> str:
        """What somebody may have meant by a name that is not there."""
        spelled = _plain(name)
        near = difflib.get_close_matches(name, self, n=1) or difflib.get_close_matches(
            spelled, self, n=1
        )
        if near:
            return f"did you mean '{near[0]}'?"
        if self.listing is None:
            return f"one of: {', '.join(self)}{otherwise}"
        nearest = difflib.get_close_matches(spelled, self, n=NEAREST, cutoff=0.0)
        return f"the nearest are {', '.join(nearest)}; {self.listing}"


def _plain(name: str) -> str:
    """A name as names are spelled here.

    >>> _plain("Reed-Muller")
    'reed_muller'
    """
    return re.sub(r"[\s-]+", "_", name[:LONGEST_NAME].strip().lower())
