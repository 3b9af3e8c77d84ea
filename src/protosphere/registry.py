"""Named things of one kind: entered once each, found by name, and a misspelt name answered with the nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TypeVar

from protosphere.errors import InvalidArgumentError, brief

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry]):
    """Entries by name, in the order in which they came.

    >>> fruits: Registry[int] = Registry("fruit")
    >>> fruits.add("apple", 1)
    >>> fruits.named("appel")
    Traceback (most recent call last):
        ...
    protosphere.errors.InvalidArgumentError: 'fruit' is not one we know, got 'appel'; did you mean 'apple'?
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, name: str, entry: Entry) -> None:
        """Enter it; a second one of the same name is refused."""
        if name in self._entries:
            raise InvalidArgumentError(f"a {self.kind} named '{name}' is registered already; choose another name")
        self._entries[name] = entry

    def named(self, name: str, otherwise: str = "") -> Entry:
        """The entry of that name; one sentence where there is none, `otherwise` saying what else would do."""
        if isinstance(name, str) and name in self._entries:  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
            return self._entries[name]
        near = difflib.get_close_matches(str(name), self._entries, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"one of: {', '.join(self._entries)}{otherwise}"
        raise InvalidArgumentError(f"'{self.kind}' is not one we know, got {brief(name)}; {hint}")
