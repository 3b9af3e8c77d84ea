"""The minimum distance of a linear code: exact where that is cheap, otherwise the bound that was given."""

from __future__ import annotations

from protosphere.codes.linear import MinimumDistance, dual
from protosphere.codes.weights import LARGEST_ENUMERATION, counted_distribution, dual_counts, smallest_weight
from protosphere.types import PackedBits

LARGEST_WORK_BYTES = 1 << 28
"""How many bytes of words an enumeration may go through (a fraction of a second)."""


def minimum_distance(
    generator: PackedBits, n: int, designed: int = 1, reason: str = "a non-zero word has a one"
) -> MinimumDistance:
    """The smallest weight of a non-zero word of the span; the rows must be independent.

    Exact by enumeration for k <= 20, or by the MacWilliams transform of the dual for n - k <= 20 (M&S chapter 5,
    theorem 1), while the words fit in 2**28 bytes. Beyond that the answer is `designed`, a lower bound the caller
    knows, with the caller's `reason`.
    """
    k = len(generator)
    if k == n:
        return MinimumDistance(1, True, "the whole space")
    if _is_cheap(k, n):
        return MinimumDistance(smallest_weight(generator, n), True, f"enumeration of 2**{k} words")
    if _is_cheap(n - k, n):
        return MinimumDistance(_distance_from_dual(generator, n), True, f"MacWilliams from 2**{n - k} dual words")
    return MinimumDistance(designed, False, reason)


def _is_cheap(dimension: int, n: int) -> bool:
    return dimension <= LARGEST_ENUMERATION and n << dimension <= 8 * LARGEST_WORK_BYTES


def _distance_from_dual(generator: PackedBits, n: int) -> int:
    checks = dual(generator, n)
    counts = dual_counts(counted_distribution(checks, n), n, len(checks))
    return next(weight for weight, count in enumerate(counts) if weight and count)
