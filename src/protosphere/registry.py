"""Registries: mappings from names to entries, such as from names of schemes to schemes.

The error message for an unknown name suggests similar names.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Protocol, TypeVar

from protosphere.errors import InvalidArgumentError, brief

Entry = TypeVar("Entry")
Decorated = TypeVar("Decorated")


class Named(Protocol):
    """Protocol for entries that have an attribute `name`."""

    @property
    def name(self) -> str:
        """Name by which the entry is found."""
        ...


NamedEntry = TypeVar("NamedEntry", bound=Named)

NEAREST = 3
"""Largest number of names that an error suggests if no name has a similar spelling."""

SHORTEST_PREFIX = 3
"""Smallest number of first characters that a suggested name must have in common with the unknown name."""

LONGEST_NAME = 100
"""Number of characters of an unknown name, from the first, that are compared with the known names."""


class Registry(Mapping[str, Entry]):
    """Mapping from names to entries of one kind, in the order in which the entries were added.

    Args:
        kind: Word for an entry in error messages, such as "scheme".
        argument: Name of the function argument in which users pass the name of an entry. Error messages contain it. By
            default, it is `kind`.
        listing: Text that says how to see all names. If it is given, error messages contain this text instead of all
            names.

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
        self.kind = kind
        self.argument = argument or kind
        self.listing = listing
        self._entries: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, name: str, entry: Entry) -> None:
        """Add an entry under a name.

        Args:
            name: Name by which the entry is found.
            entry: The entry.

        Raises:
            InvalidArgumentError: If an entry with this name has already been added.
        """
        if name in self:
            raise InvalidArgumentError(
                f"a {self.kind} named '{name}' is registered already; choose another name"
            )
        self._entries[name] = entry

    def register(
        self: "Registry[NamedEntry]", entry_of: Callable[[Decorated], NamedEntry]
    ) -> Callable[[Decorated], Decorated]:
        """Return a decorator that adds an entry for the decorated object and returns the object unchanged.

        Args:
            entry_of: Function that is called with the decorated object and returns its entry. The entry is added under
                its attribute `name`.
        """

        def register_decorated(decorated: Decorated) -> Decorated:
            entry = entry_of(decorated)
            self.add(entry.name, entry)
            return decorated

        return register_decorated

    def named(self, name: str, otherwise: str = "") -> Entry:
        """Return the entry with a given name.

        Args:
            name: Name of the entry.
            otherwise: Text that follows the list of all names in the error message, such as ', or the path of a .toml
                file'. If the message does not list all names, this text is not used.

        Raises:
            InvalidArgumentError: If no entry has this name. The message suggests similar names or lists all names.
        """
        if isinstance(name, str) and name in self:  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
            return self[name]
        raise InvalidArgumentError(
            f"'{self.argument}' is not one we know, got {brief(name)}; {self._hint(str(name), otherwise)}"
        )

    def _hint(self, name: str, otherwise: str) -> str:
        spelled = _plain(name)
        near = difflib.get_close_matches(name, self, n=1)
        near = near or difflib.get_close_matches(spelled, self, n=1)
        if near:
            return f"did you mean '{near[0]}'?"
        if self.listing is None:
            return f"one of: {', '.join(self)}{otherwise}"
        nearest = _with_shared_prefix(spelled, self)
        if nearest:
            return f"the nearest are {', '.join(nearest)}; {self.listing}"
        return f"no {self.kind} has a name like it; {self.listing}"


def _with_shared_prefix(name: str, known: Iterable[str]) -> list[str]:
    lengths = {other: _common_prefix_length(name, other) for other in known}
    shared = [other for other in lengths if lengths[other] >= SHORTEST_PREFIX]
    return sorted(shared, key=lambda other: -lengths[other])[:NEAREST]


def _common_prefix_length(left: str, right: str) -> int:
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name[:LONGEST_NAME].strip().lower())
