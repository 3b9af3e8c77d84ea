"""Codes at lengths no family has: every way of getting there from a neighbour, and the best of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from protosphere.codes.weights import smallest_weight
from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import PackedBits

TRIALS = 6
"""How many of the most promising modifications are measured before one is chosen."""

TRIAL_BITS = 1 << 30
"""A recipe with more bits in its words than this is taken at its word, unmeasured."""


@dataclass(frozen=True)
class ModifiedCode:
    """A code of the wanted length and at least the wanted dimension: its promised distance, and how to make it."""

    text: str
    distance: int
    generator: Callable[[], PackedBits]


def modified_guarantee(
    modifications: Iterable[ModifiedCode], dim: int, chosen: Mapping[str, Any] | None = None
) -> Fraction | None:
    """The best guarantee there is, or was when one was chosen: whichever is chosen measures no worse than it."""
    distance = chosen["distance"] if chosen else max((modified.distance for modified in modifications), default=0)
    return Fraction(dim - 2 * distance, dim) if distance > 0 else None


def choose_modification(modifications: list[ModifiedCode], dim: int, k: int) -> dict[str, Any]:
    """The best one by its name, and the largest distance that any of them has by theorem."""
    distance = max(modified.distance for modified in modifications)
    return {"modification": best_modification(modifications, dim, k).text, "distance": distance}


def named_modification(modifications: Iterable[ModifiedCode], chosen: Mapping[str, Any]) -> ModifiedCode:
    """The one that was chosen."""
    name = chosen["modification"]
    found = next((modified for modified in modifications if modified.text == name), None)
    if found is None:
        raise InvalidArgumentError(f"'modification' must name a code of this length, got {brief(name)}")
    return found


def best_modification(modifications: Iterable[ModifiedCode], dim: int, k: int) -> ModifiedCode:
    """The recipe whose first 2**k words are farthest apart, measured among the most promising."""
    ranked = sorted(modifications, key=lambda modified: -modified.distance)[:TRIALS]
    if dim << k > TRIAL_BITS:
        return ranked[0]
    return max(ranked, key=lambda modified: smallest_weight(modified.generator()[:k], dim))


def modification_name(
    base: str, *, shortened: int = 0, extended: bool = False, punctured: int = 0, repeated: int = 0
) -> str:
    """What was done to a code, in words.

    >>> modification_name("BCH(127,8)", shortened=1, punctured=2)
    'BCH(127,8), shortened by 1, punctured by 2'
    """
    steps = [f"shortened by {shortened}"] if shortened else []
    steps += ["extended by parity"] if extended else []
    steps += [f"punctured by {punctured}"] if punctured else []
    steps += [f"lengthened by {repeated} of its own columns"] if repeated else []
    return ", ".join([base, *steps])
