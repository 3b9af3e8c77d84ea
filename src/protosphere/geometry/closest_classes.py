"""Search for the closest pair of classes made of parts, without comparing all pairs.

A class is a row of values, one for each part, such as a shape and a color. Two classes differ in some set of parts, and
each of these parts adds at least its own smallest distance. The sets of parts are therefore tried in order of the sum
of these distances, and for each set the classes that agree in all other parts are found by sorting hashes. The search
ends as soon as no remaining set can contain a closer pair.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, Points

MOST_ROWS = 1 << 25
"""Number of rows that a search may sort or compare: some seconds."""

PAIRS_AT_ONCE = 1 << 12
"""Number of pairs of classes whose distances are computed together."""

ROUNDING = 1e-15
"""Distances within this difference count as equal. It is less than the error that certificates state, 2^-47 sqrt(n)."""

Values = NDArray[np.unsignedinteger]
"""K x P indices of values; row i has the value of each part of class i."""

Hashes = NDArray[np.uint64]

Distances = Callable[[Indices, Indices], NDArray[np.float64]]
"""Function that returns 1 - cosine of the classes left[i] and right[i] for all i."""


@dataclass(frozen=True)
class ClosestPair:
    """Result of a search for the closest pair of classes.

    Attributes:
        distance: Distance (1 - cosine) of the closest pair that was found; infinity if no pair was found.
        bound: Lower bound on the distances of all pairs that were not compared.
    """

    distance: float
    bound: float

    @property
    def found(self) -> bool:
        """Whether the pair that was found is proved to be the closest."""
        return self.distance <= self.bound + ROUNDING


def closest_classes(
    values: Values,
    distances: Distances,
    part_distances: Sequence[float],
    most_rows: int = MOST_ROWS,
) -> ClosestPair:
    """Search for the closest pair of classes made of parts.

    Args:
        values: K x P matrix of indices: entry (i, p) is the value of part p of class i. No two rows are the same.
        distances: Function that returns 1 - cosine of pairs of classes.
        part_distances: For each part, a lower bound on the distance that it adds between classes that differ in it.
        most_rows: Number of rows that the search may hash and sort before it gives up.

    Returns:
        The closest pair found, and a lower bound for all pairs that were not compared.
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
    """Yield every nonempty set of parts, after the sum of its distances, in ascending order of the sum.

    The sets are generated from a priority queue. When a set is taken from it, two sets are put in: one adds the next
    part in order of distance, and the other replaces the last part by the next part.
    """
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
    """Return a random integer for each value of each part; the hash of a class is the sum over its values."""
    rng = np.random.default_rng(0)
    largest = np.iinfo(np.uint64).max
    return [
        rng.integers(0, largest, int(most) + 1, dtype=np.uint64)
        for most in values.max(axis=0)
    ]


def _row_hashes(
    values: Values, hashes: Sequence[Hashes], chosen: Sequence[int]
) -> Hashes:
    """Return the hash of each class restricted to the chosen parts: the sum of the hashes of its values of them."""
    total = np.zeros(len(values), dtype=np.uint64)
    for part in chosen:
        total += hashes[part][values[:, part]]
    return total


def _agreeing_pairs(hashes: Hashes) -> Iterator[tuple[Indices, Indices]]:
    """Yield all pairs of classes with equal hashes, in batches of left and right indices.

    Batch d has the pairs that are d places apart after sorting by hash, for d = 1, 2, ...
    """
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
    """Return the smallest distance of the pairs (left[i], right[i])."""
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
    """Return the distance 1 - cosine of row i of `left` and row i of `right`, for all i.

    The distance is a sum over parts: the share of the part times half the squared distance of the two values' points.

    Args:
        left: Values of classes, one class per row and one part per column.
        right: Values of as many classes.
        part_points: For each part, the unit vectors of its values, as rows.
        shares: Weight of each part in the cosine of two classes.
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
