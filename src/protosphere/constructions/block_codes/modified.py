"""Words of a family of binary codes: at the lengths that it has and, by modifying a neighbour, at all others."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from protosphere.code.placement import Placement
from protosphere.codes.linear import smallest_weight
from protosphere.constructions.block_codes.words import (
    SUBSETS,
    message_bits,
    placed_words,
    rows_needed,
    subset_obstacle,
)
from protosphere.constructions.registry import construction
from protosphere.errors import InvalidArgumentError, as_choice, as_flag, brief
from protosphere.types import PackedBits

TRIALS = 6
"""How many of the most promising modifications are measured before one is chosen."""

TRIAL_BITS = 1 << 30
"""A recipe with more bits in its words than this is taken at its word, unmeasured."""


@dataclass(frozen=True)
class NativeCode:
    """A code at a length of its family: its name, dimension and distance, and its first so many generator rows."""

    name: str
    k: int
    distance: int
    rows: Callable[[int], PackedBits]


@dataclass(frozen=True)
class ModifiedCode:
    """A code of the wanted length and at least the wanted dimension: its promised distance, and how to make it."""

    text: str
    distance: int
    generator: Callable[[], PackedBits]


Native = Callable[[int, int], NativeCode]
"""From K and n to the code of length n with the smallest dimension that has K words."""


def linear_words(
    *,
    obstacle: Callable[[int, int, bool], str | None],
    modifications: Callable[[int, int], list[ModifiedCode]],
    **record: Any,
) -> Callable[[Native], Native]:
    """Register the decorated function as a construction of its name; `record` is as of `construction`.

    The scheme has two options: with `modify` the best of the `modifications` to length n and the dimension needed is
    taken, and `subset` says which K words are. `obstacle` is asked with K, n and `modify`.
    """

    def register(native: Native) -> Native:
        name = native.__name__

        def why_not(num_classes: int, dim: int, *, modify: bool, subset: str) -> str | None:
            as_choice("subset", subset, SUBSETS)
            return obstacle(num_classes, dim, as_flag("modify", modify)) or subset_obstacle(name, subset, num_classes)

        def choose(num_classes: int, dim: int, *, modify: bool, subset: str) -> dict[str, Any]:
            del subset
            needed = message_bits(num_classes)
            return choose_modification(modifications(dim, needed), dim, needed) if modify else {}

        def guarantee(
            num_classes: int, dim: int, *, modify: bool, subset: str, chosen: Mapping[str, Any] | None = None
        ) -> Fraction | None:
            del subset
            if not modify:
                distance = native(num_classes, dim).distance
            elif chosen:
                distance = chosen["distance"]
            else:
                distance = max((code.distance for code in modifications(dim, message_bits(num_classes))), default=0)
            return 1 - Fraction(2 * distance, dim) if distance > 0 else None

        def build(
            num_classes: int,
            dim: int,
            *,
            rng: np.random.Generator,
            chosen: Mapping[str, Any],
            modify: bool = False,
            subset: str = "first",
        ) -> Placement:
            if modify:
                modified = _named(modifications(dim, message_bits(num_classes)), chosen["modification"])
                return placed_words(modified.generator(), dim, num_classes, subset, rng, modified.text)
            code = native(num_classes, dim)
            rows = code.rows(rows_needed(subset, num_classes, code.k))
            return placed_words(rows, dim, num_classes, subset, rng, code.name)

        build.__name__, build.__doc__ = name, native.__doc__
        construction(obstacle=why_not, guarantee=guarantee, choose=choose, packed=True, **record)(build)
        return native

    return register


def choose_modification(modifications: list[ModifiedCode], dim: int, k: int) -> dict[str, Any]:
    """The one whose first 2**k words are farthest apart, measured among the most promising, by its name.

    With it goes the largest distance that any has by theorem: whichever is chosen measures no worse than that.
    """
    ranked = sorted(modifications, key=lambda modified: -modified.distance)[:TRIALS]
    best = ranked[0]
    if dim << k <= TRIAL_BITS:
        best = max(ranked, key=lambda modified: smallest_weight(modified.generator()[:k], dim))
    return {"modification": best.text, "distance": ranked[0].distance}


def _named(modifications: Iterable[ModifiedCode], name: str) -> ModifiedCode:
    found = next((modified for modified in modifications if modified.text == name), None)
    if found is None:
        raise InvalidArgumentError(f"'modification' must name a code of this length, got {brief(name)}")
    return found


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
