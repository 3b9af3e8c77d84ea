"""Orders that are known to be the best: where there is nothing to choose, little to choose from, or only pairs."""

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.matching import cheapest_matching
from protosphere.types import Indices, Points

ROUNDING_TOLERANCE = 1e-9
"""Cosines, or other entries of a matrix, this close are taken for equal."""

LARGEST_K = 8
"""8! = 40,320 orders."""


@cache
def all_orders(num_classes: int) -> Indices:
    """Every permutation of 0, ..., K - 1, one per row."""
    return np.array(list(permutations(range(num_classes))), dtype=np.int64)


def pair_terms(similarity: Points, cosines: Points) -> tuple[Indices, Points, Points]:
    """All orders, and for each the similarities (one per pair, the same for all) and the cosines of the pairs."""
    orders = all_orders(len(similarity))
    first, second = np.triu_indices(len(similarity), 1)
    return (
        orders,
        similarity[first, second],
        cosines[orders[:, first], orders[:, second]],
    )


def exact_order(S: Points, cosines: Points) -> tuple[Indices, str] | None:
    """The best order where the code, or their number, lets us know it."""
    K = len(cosines)
    upper = cosines[np.triu_indices(K, 1)]
    low = float(upper.min())
    high = float(upper.max())
    if high - low < ROUNDING_TOLERANCE:
        return np.arange(
            K
        ), "all prototypes are equally far apart, so that every order is the same"
    if K <= LARGEST_K:
        orders, weights, placed = pair_terms(S, cosines)
        return orders[np.argmax(placed @ weights)], "all orders were looked at"
    for special, other in ((low, high), (high, low)):
        pairs = np.abs(cosines - special) < ROUNDING_TOLERANCE
        np.fill_diagonal(pairs, False)
        two_valued = (
            pairs
            | (np.abs(cosines - other) < ROUNDING_TOLERANCE)
            | np.eye(K, dtype=np.bool_)
        )
        if pairs.sum(axis=1).max() == 1 and np.all(two_valued):
            return _matched(S if special < other else -S, pairs)
    return None


def _matched(weights: Points, special: NDArray[np.bool_]) -> tuple[Indices, str] | None:
    """Where all points look alike but for disjoint special pairs, classes are matched: the cheapest ones get those."""
    ends = np.argwhere(np.triu(special))
    matching, proved = cheapest_matching(weights, len(ends))
    if not proved:
        return None
    order = np.empty(len(weights), dtype=np.int64)
    order[matching.ravel()] = ends.ravel()
    rest = np.setdiff1d(np.arange(len(weights)), matching.ravel())
    order[rest] = np.setdiff1d(np.arange(len(weights)), ends.ravel())
    return order, "its pairs were chosen by matching"
