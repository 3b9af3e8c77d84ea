"""What is promised for (K, n): by families, and by constructions asked for just that. Nothing is built."""

from typing import Any

from protosphere.constructions.ranking import Candidate, made_of, member_candidates
from protosphere.constructions.registry import describe
from protosphere.geometry.closest_pair import DEEPEST

RUNNERS_UP = 8
"""How many candidates are shown beside the best."""

LARGEST_PAIRWISE = 20_000
"""More dense points than this, of no lattice, would take minutes to measure."""

NEIGHBOURS = 16
"""How many dimensions below are asked for a code to be padded."""

PLAIN: dict[str, dict[str, bool]] = {
    "simplex": {},
    "cross_polytope": {},
    "orthogonal_simplices": {},
    "polygon": {},
    "apple_peeling": {},
    "reed_muller": {"modify": True},
    "bch": {"modify": True},
    "construction_x": {},
}
"""Constructions asked for their guarantee at just (K, n), with these options."""


def candidates(num_classes: int, dim: int) -> list[Candidate]:
    """Everything with a guarantee for (K, n), the most promising first, nothing of it built."""
    found = list(member_candidates(num_classes, dim, RUNNERS_UP))
    for name, options in PLAIN.items():
        resolved = describe(name).resolved(options)
        asked = [_plain_candidate(name, num_classes, dim, own, resolved) for own in _dims_below(dim)]
        found += sorted((one for one in asked if one is not None), key=lambda one: one.promise)[:1]
    return sorted(found, key=lambda one: one.rank(one.max_cosine))


def _dims_below(dim: int) -> list[int]:
    """Dimensions worth asking a code for, to be padded to `dim`: just below it, and where codes are at home."""
    homes = {length for m in range(2, dim.bit_length() + 1) for length in ((1 << m) - 1, 1 << m)}
    near = range(max(2, dim - NEIGHBOURS), dim)
    return [dim, *sorted({length for length in (2, *near, *homes) if 2 <= length < dim}, reverse=True)]


def _plain_candidate(name: str, K: int, dim: int, own: int, options: dict[str, Any]) -> Candidate | None:
    """What a construction promises in `own` dimensions, zeros appended up to `dim`."""
    entry = describe(name)
    if entry.obstacle(K, own, **options) is not None:
        return None
    promise = entry.guarantee(K, own, **options)
    measurable = K <= LARGEST_PAIRWISE or entry.packed or entry.numbered or own <= DEEPEST
    if promise is None or promise >= 1 or not measurable:
        return None
    recipe = entry.summary if own == dim else f"{entry.summary}; {dim - own} zero coordinates added"
    return Candidate(promise, recipe, K, made_of(name, K, own, dim, options, {}))
