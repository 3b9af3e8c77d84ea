"""An order of a code's points in which the first ones are well separated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from protosphere.constructions.thinning import thinned
from protosphere.geometry.gram import largest_inner_product, point_rows
from protosphere.types import Indices, Points

LARGEST_THINNED = 512
"""Thinning looks at all pairs again for every point it removes: above so many points it would take minutes."""


def nested_order(points: Points, num_first: int) -> Indices:
    """All numbers, the first `num_first` with the lowest max cosine of three ways to choose them, then farthest first.

    The ways: as the points stand, farthest first, and by thinning. Ties go to the one named first.

    >>> pentagon = np.exp(2j * np.pi * np.arange(5) / 5)
    >>> nested_order(np.column_stack([pentagon.real, pentagon.imag]), 2)
    array([0, 3, 1, 4, 2])
    """
    ways = [np.arange(num_first), farthest_first(points, np.arange(1))[:num_first]]
    if len(points) <= LARGEST_THINNED:
        ways.append(thinned(points, num_first))
    return farthest_first(points, min(ways, key=lambda way: round(_max_cosine(points[way]), 9)))


def farthest_first(points: Points, chosen: Indices) -> Indices:
    """The numbers in `chosen`, then always the point whose largest cosine with those before it is lowest."""
    order = np.empty(len(points), dtype=np.int64)
    order[: len(chosen)] = chosen
    nearest: NDArray[np.float64] = np.max(points @ points[chosen].T, axis=1)
    nearest[chosen] = np.inf
    for i in range(len(chosen), len(points)):
        order[i] = np.argmin(nearest.round(9))  # not by rounding errors: the same order on every machine
        np.maximum(nearest, points @ points[order[i]], out=nearest)
        nearest[order[i]] = np.inf
    return order


def _max_cosine(points: Points) -> float:
    return largest_inner_product(point_rows(points))
