"""Search for the closest pair of classes made of parts, without comparing all pairs.

A class has one value for each part. The parts are, for example, a shape and a color, and the values of the color are
red and blue. The distance of two classes is a sum over the parts in which they differ, and each of these parts adds at
least the smallest number that two different values of the part can add. The sets of parts are therefore tried in
ascending order of the sum of these smallest numbers. For each set, the classes that agree in all other parts are found
by sorting hashes. The search ends as soon as no remaining set can contain a closer pair.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, Points

MOST_ROWS = 1 << 25
"""Largest number of rows that a search sorts or compares. At this limit, the search takes some seconds."""

PAIRS_AT_ONCE = 1 << 12
"""Number of pairs of classes whose distances are computed together."""

ROUNDING = 1e-15
"""Largest difference of two distances that count as equal. It is less than the error bound of certificates."""

Values = NDArray[np.unsignedinteger]
"""K x P matrix of indices; entry (i, p) is the index of the value that part p of class i has."""

Hashes = NDArray[np.uint64]

Distances = Callable[[Indices, Indices], NDArray[np.float64]]
"""Function that returns 1 - cosine of the classes left[i] and right[i] for all i."""


@dataclass(frozen=True)
class ClosestPair:
    """Result of a search for the closest pair of classes. The search may have ended early.

    Attributes:
        distance: Distance (1 - cosine) of the closest pair that was compared, or infinity if no pair was compared.
        bound: Lower bound on the distances of all pairs that were not compared, or infinity if all pairs were compared.
    """

    distance: float
    bound: float

    @property
    def found(self) -> bool:
        """Whether the closest pair that was compared is proved to be the closest of all."""
        return self.distance <= self.bound + ROUNDING


def closest_classes(
    values: Values,
    distances: Distances,
    part_distances: Sequence[float],
    most_rows: int = MOST_ROWS,
) -> ClosestPair:
    """Search for the closest pair of classes made of parts.

    A class has one value for each part. The parts are, for example, a shape and a color. The distance of two classes is
    1 - cosine of their points.

    Args:
        values: Matrix with one row for each of the K classes and one column for each part: entry (i, p) is the index of
            the value that class i has in part p. All rows are different.
        distances: Function that takes two arrays `left` and `right` of indices of classes. It returns an array, whose
            entry i is 1 - cosine of the classes left[i] and right[i].
        part_distances: For each part, a lower bound on what the part adds to the distance of two classes that have
            different values of the part.
        most_rows: Limit of the effort, at which the search ends early. Sorting the K classes adds K to the effort, and
            comparing a pair adds 1. The classes are sorted once for each set of parts.

    Returns:
        The distance of the closest pair that was compared, and a lower bound on the distances of all pairs that were
        not compared.
    """
    hashes = _value_hashes(values)
    whole = _row_hashes(values, hashes, range(len(hashes)))
    closest = np.inf
    rows_left = most_rows
    for bound, chosen in _sets_by_sum(part_distances):
        if closest <= bound + ROUNDING or rows_left < len(values):
            return ClosestPair(closest, bound)
        outside = whole - _row_hashes(values, hashes, chosen)
        for left, right in _agreeing_pairs(outside):
            rows_left -= len(left)
            found = _smallest_distance(left, right, distances)
            closest = min(closest, found)
            if closest <= bound + ROUNDING or rows_left < 0:
                return ClosestPair(closest, bound)
        rows_left -= len(values)
    return ClosestPair(closest, np.inf)


def _sets_by_sum(
    part_distances: Sequence[float],
) -> Iterator[tuple[float, tuple[int, ...]]]:
    # all nonempty sets of parts, each with the sum of its distances, in ascending order of the sums
    # a set from the priority queue is followed by two sets: one adds the next part, one replaces the last part by it
    order = sorted(range(len(part_distances)), key=part_distances.__getitem__)
    sizes = [part_distances[part] for part in order]
    waiting: list[tuple[float, tuple[int, ...]]] = [(sizes[0], (0,))]
    while waiting:
        total, chosen = heapq.heappop(waiting)
        yield total, tuple(order[position] for position in chosen)
        last = chosen[-1]
        if last + 1 < len(sizes):
            longer = total + sizes[last + 1]
            heapq.heappush(waiting, (longer, (*chosen, last + 1)))
            moved = longer - sizes[last]
            heapq.heappush(waiting, (moved, (*chosen[:-1], last + 1)))


def _value_hashes(values: Values) -> list[Hashes]:
    # one random integer for each value of each part
    rng = np.random.default_rng(0)
    largest = np.iinfo(np.uint64).max
    return [
        rng.integers(0, largest, int(most) + 1, dtype=np.uint64)
        for most in values.max(axis=0)
    ]


def _row_hashes(
    values: Values, hashes: Sequence[Hashes], chosen: Sequence[int]
) -> Hashes:
    total = np.zeros(len(values), dtype=np.uint64)
    for part in chosen:
        total += hashes[part][values[:, part]]
    return total


def _agreeing_pairs(hashes: Hashes) -> Iterator[tuple[Indices, Indices]]:
    # batch d has the pairs with equal hashes that are d positions apart after sorting, for d = 1, 2, ...
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.arange(len(order))
    offset = 1
    while True:
        starts = starts[: np.searchsorted(starts, len(order) - offset)]
        starts = starts[ordered[starts] == ordered[starts + offset]]
        if not len(starts):
            return
        yield order[starts], order[starts + offset]
        offset += 1


def _smallest_distance(left: Indices, right: Indices, distances: Distances) -> float:
    smallest = np.inf
    for start in range(0, len(left), PAIRS_AT_ONCE):
        batch = slice(start, start + PAIRS_AT_ONCE)
        smallest = min(smallest, float(distances(left[batch], right[batch]).min()))
    return smallest


def pair_distances(
    left: Values,
    right: Values,
    part_points: Sequence[Points],
    shares: Sequence[float],
) -> NDArray[np.float64]:
    """Return 1 - cosine of the classes in row i of `left` and in row i of `right`, for all i.

    This distance of two classes is a sum over parts: the weight of the part times half the squared distance between the
    points of the two values that the classes have in the part.

    Args:
        left: Matrix with one class per row and one part per column. An entry is the index of the value that the class
            has in the part.
        right: Matrix of the same shape and meaning.
        part_points: For each part, a matrix whose row v is the point (a unit vector) of the value with index v.
        shares: Weight of each part; the weights sum to 1.
    """
    total = np.zeros(len(left))
    for part, points in enumerate(part_points):
        between = points[left[:, part]] - points[right[:, part]]
        total += shares[part] / 2 * np.einsum("ij,ij->i", between, between)
    return total


def has_equal_rows(values: Values) -> bool:
    """Return whether two rows of a matrix are the same.

    >>> has_equal_rows(np.array([[0, 1], [1, 1], [0, 1]], dtype=np.uint8))
    True
    """
    rows = np.ascontiguousarray(values)
    row_bytes = rows.dtype.itemsize * rows.shape[1]
    ordered = np.sort(rows.view(f"V{row_bytes}").ravel())
    return bool((ordered[1:] == ordered[:-1]).any())
