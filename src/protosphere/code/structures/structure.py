"""The list of the structures there are: each registers itself under the name that files call it by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from protosphere.code.structures.content import Content
from protosphere.errors import as_choice
from protosphere.registry import Registry

if TYPE_CHECKING:
    from protosphere.code.structures import Structure

ALL_PAIRS_POINTS = 20_000
"""Up to so many points all pairs are measured even where a structure would save it, and words with more coordinates
after them are kept as dense points: a second or two."""

Kind = TypeVar("Kind", bound=type[Any])
_KINDS: Registry[type[Structure]] = Registry("structure")


def structure(name: str) -> Callable[[Kind], Kind]:
    """Register a class of structures under the name that files call it by."""

    def registered(kind: Kind) -> Kind:
        _KINDS.add(name, kind)
        kind.name = name
        return kind

    return registered


def read_structure(name: object, content: Content) -> Structure:
    """The structure of that name from what a file holds."""
    return _KINDS[as_choice("structure", name, sorted(_KINDS))].read(content)


def registered_structures() -> dict[str, type[Structure]]:
    """All kinds by name."""
    return dict(_KINDS)
