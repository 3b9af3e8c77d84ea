"""Functions that choose well separated points of a code, or that put such points first."""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from protosphere.geometry.gram import max_cosine
from protosphere.types import Indices, Points

MOST_COMPARISONS = 1 << 28
"""Largest product (number of points)^2 * (number of first points) for which `nested_order` calls `far_apart`."""

LARGEST_PAIRWISE = 4096
"""Largest number of points for which `nested_order` calls `far_apart`: the cosines of all pairs take 128 MB."""

DIGITS = 9
"""Number of decimals to which cosines are rounded before they are compared, for the same order on every machine."""

COSINE_TOLERANCE = 1e-9
"""`select_subset` counts a pair of points as closest if its cosine is below the largest by at most this number."""


def nested_order(points: Points, num_first: int) -> Indices:
    """Return an order of all points in which the first `num_first` points have a low maximum cosine.

    The first points are chosen in two or three ways, and the choice with the lowest maximum cosine is taken:

    - The first rows of `points` are chosen.
    - The first row is chosen, and then again and again the point whose largest cosine with the points chosen before is
      lowest.
    - If the number of points is at most 4,096 and its square times `num_first` is at most 2^28, points are chosen
      greedily such that their pairwise cosines are at most a threshold. The threshold is the lowest one at which enough
      points are found.

    The other points follow. Again and again, the next point is the one whose largest cosine with all points before it
    is lowest.

    Args:
        points: Unit vectors, as rows.
        num_first: Number of points that come first.

    Returns:
        The indices of the points in the new order.

    Example:
        >>> pentagon = np.exp(2j * np.pi * np.arange(5) / 5)
        >>> nested_order(np.column_stack([pentagon.real, pentagon.imag]), 2)
        array([0, 2, 1, 3, 4])
    """
    as_they_stand = np.arange(num_first)
    farthest = farthest_first(points, np.arange(1))[:num_first]
    choices = [as_they_stand, farthest]
    comparisons = num_first * len(points) ** 2
    if len(points) <= LARGEST_PAIRWISE and comparisons <= MOST_COMPARISONS:
        choices.append(far_apart(points, num_first))

    def rounded_max_cosine(chosen: Indices) -> float:
        return round(max_cosine(points[chosen]), DIGITS)

    return farthest_first(points, min(choices, key=rounded_max_cosine))


def farthest_first(points: Points, chosen: Indices) -> Indices:
    """Return an order of all points that begins with the points `chosen`.

    Each later point is the point whose largest cosine with all points before it is lowest.

    Args:
        points: Unit vectors, as rows.
        chosen: Indices of the points to begin with.

    Returns:
        The indices of all points in the new order.
    """
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
    """Return the indices of `count` points with low pairwise cosines.

    A greedy choice takes points whose pairwise cosines are at most a threshold. Bisection finds the lowest threshold at
    which this choice finds `count` points.

    Args:
        points: Unit vectors, as rows.
        count: Number of points to choose.

    Returns:
        The indices of the chosen points.
    """
    gram = (points @ points.T).round(DIGITS)
    levels = np.unique(gram)

    def is_enough(level: float) -> bool:
        return _pairwise_compatible_points(gram <= level, count) is not None

    lowest = bisect_left(levels[:-1], True, key=is_enough)
    found = _pairwise_compatible_points(gram <= levels[lowest], count)
    assert found is not None, "no pair is above the largest cosine"
    return found


def _pairwise_compatible_points(
    compatible: NDArray[np.bool_], count: int
) -> Indices | None:
    alive = np.ones(len(compatible), dtype=np.bool_)
    chosen = np.empty(count, dtype=np.int64)
    for i in range(count):
        # a point is alive if it is compatible with all chosen points; one with the most alive partners comes next
        left = np.where(alive, compatible[:, alive].sum(axis=1), -1)
        chosen[i] = np.argmax(left)
        if left[chosen[i]] < 0:
            return None
        alive &= compatible[chosen[i]]
        alive[chosen[i]] = False
    return chosen


def select_subset(points: Points, num_classes: int) -> Indices:
    """Remove points until `num_classes` points are left, and return the indices of the points that are left.

    Each step considers the closest pairs of points, which are the pairs with the largest cosine. It removes the point
    that occurs in the largest number of these pairs.

    Args:
        points: Unit vectors, as rows.
        num_classes: Number of points to keep.

    Returns:
        The indices of the points that are kept, in ascending order.
    """
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
