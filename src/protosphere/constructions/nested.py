"""Which points of a code to begin with, or to keep: those that are well separated."""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from protosphere.geometry.gram import max_cosine
from protosphere.types import Indices, Points

LARGEST_COMPARED, LARGEST_PAIRWISE = 1 << 28, 4096
"""Entries (points squared, times how many come first) up to which the first ones are searched among all pairs, and
points: their cosines are held at once, 128 MB."""

DIGITS, COSINE_TOLERANCE = 9, 1e-9
"""Cosines are compared rounded so far, for the same order on every machine; of those that are thinned so close ones
count as one level."""


def nested_order(points: Points, num_first: int) -> Indices:
    """All numbers: the first `num_first` with the lowest max cosine that we find, then always the farthest.

    The first ones are chosen as the points stand, farthest first, or, in codes of moderate size, as points that are
    pairwise at most a cosine apart, for the lowest cosine that a greedy choice finds so many for.

    >>> pentagon = np.exp(2j * np.pi * np.arange(5) / 5)
    >>> nested_order(np.column_stack([pentagon.real, pentagon.imag]), 2)
    array([0, 2, 1, 3, 4])
    """
    ways = [np.arange(num_first), farthest_first(points, np.arange(1))[:num_first]]
    if (
        len(points) <= LARGEST_PAIRWISE
        and num_first * len(points) ** 2 <= LARGEST_COMPARED
    ):
        ways.append(far_apart(points, num_first))
    return farthest_first(
        points, min(ways, key=lambda way: round(max_cosine(points[way]), DIGITS))
    )


def farthest_first(points: Points, chosen: Indices) -> Indices:
    """The numbers in `chosen`, then always the point whose largest cosine with those before it is lowest."""
    order = np.empty(len(points), dtype=np.int64)
    order[: len(chosen)] = chosen
    nearest: NDArray[np.float64] = np.max(points @ points[chosen].T, axis=1)
    nearest[chosen] = np.inf
    for i in range(len(chosen), len(points)):
        order[i] = np.argmin(nearest.round(DIGITS))
        np.maximum(nearest, points @ points[order[i]], out=nearest)
        nearest[order[i]] = np.inf
    return order


def far_apart(points: Points, count: int) -> Indices:
    """`count` points pairwise at most some cosine apart, the lowest that bisection over all cosines finds."""
    gram = (points @ points.T).round(DIGITS)
    levels = np.unique(gram)
    lowest = bisect_left(
        levels[:-1],
        True,
        key=lambda level: _pairwise_below(gram <= level, count) is not None,
    )
    found = _pairwise_below(gram <= levels[lowest], count)
    assert found is not None, "no pair is above the largest cosine"
    return found


def _pairwise_below(compatible: NDArray[np.bool_], count: int) -> Indices | None:
    """`count` points every two of which are compatible: always one that leaves most others possible; None if stuck."""
    alive = np.ones(len(compatible), dtype=np.bool_)
    chosen = np.empty(count, dtype=np.int64)
    for i in range(count):
        left = np.where(alive, compatible[:, alive].sum(axis=1), -1)
        chosen[i] = np.argmax(left)
        if left[chosen[i]] < 0:
            return None
        alive &= compatible[chosen[i]]
        alive[chosen[i]] = False
    return chosen


def thinned(points: Points, num_classes: int) -> Indices:
    """Numbers of `num_classes` points, the others removed one at a time: always one that is in most closest pairs."""
    gram = points @ points.T
    np.fill_diagonal(gram, -2)
    alive = np.ones(len(points), dtype=np.bool_)
    closest = np.zeros(gram.shape, dtype=np.bool_)
    degree = closest.sum(axis=1)
    for _ in range(len(points) - num_classes):
        if not degree.any():
            left = np.where(alive[:, None] & alive, gram, -2)
            closest = left >= left.max() - COSINE_TOLERANCE
            degree = closest.sum(axis=1)
        worst = int(np.argmax(degree))
        alive[worst] = False
        degree -= closest[worst]
        closest[:, worst] = False
        degree[worst] = 0
    return np.flatnonzero(alive)
