"""Find orders of points that are proved to be optimal, by trying all orders or by a minimum-weight matching.

An order is an array with the index of the point of each class: class i gets point order[i].
"""

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.matching import min_weight_matching
from protosphere.types import Indices, Points

EQUAL_TOLERANCE = 1e-9
"""Largest difference of two cosines, or of two entries of a matrix, at which they count as equal."""

MAX_EXHAUSTIVE_CLASSES = 8
"""Largest number of classes for which all orders of the points are tried. There are 8! = 40,320 orders of 8 points."""

ALL_ORDERS_PROOF = "all orders were looked at"


@cache
def all_orders(num_classes: int) -> Indices:
    """Return every permutation of 0, ..., K - 1, one per row, where K is `num_classes`."""
    return np.array(list(permutations(range(num_classes))), dtype=np.int64)


def pair_terms(similarity: Points, cosines: Points) -> tuple[Indices, Points, Points]:
    """Return all K! orders of K points, and the similarities and cosines of the pairs of classes in these orders.

    In an order, class i gets point order[i].

    Args:
        similarity: K x K similarity of the classes.
        cosines: K x K cosines of the points.

    Returns:
        Three arrays. The first has all K! orders, one per row. The second has the similarity of each pair of classes.
        The third has a row for each order and a column for each pair of classes; an entry is the cosine of the points
        that the pair has in this order.
    """
    orders = all_orders(len(similarity))
    first, second = np.triu_indices(len(similarity), 1)
    pair_similarity = similarity[first, second]
    pair_cosines = cosines[orders[:, first], orders[:, second]]
    return orders, pair_similarity, pair_cosines


def exact_order(similarity: Points, cosines: Points) -> tuple[Indices, str] | None:
    """Return the order of the points with the largest sum over pairs of similarity times cosine, or None.

    In an order, class i gets point order[i]. None is returned if no order is proved optimal. An order is proved optimal
    if all cosines are equal, or by trying all orders of at most 8 points. For more points, a matching may prove it if
    the points form disjoint pairs with one cosine, and all other cosines are equal, as in a cross-polytope.

    Args:
        similarity: K x K similarity of the classes.
        cosines: K x K cosines of the points.

    Returns:
        The order, and the reason why no other order is better.
    """
    K = len(cosines)
    upper = cosines[np.triu_indices(K, 1)]
    low = float(upper.min())
    high = float(upper.max())
    if high - low < EQUAL_TOLERANCE:
        proof = "all prototypes are equally far apart, so that every order is the same"
        return np.arange(K), proof
    if K <= MAX_EXHAUSTIVE_CLASSES:
        orders, weights, placed = pair_terms(similarity, cosines)
        best = np.argmax(placed @ weights)
        return orders[best], ALL_ORDERS_PROOF
    pairs = _disjoint_pairs(cosines, low, high)
    if pairs is not None:  # as in a cross-polytope
        return _matched_order(similarity, pairs)
    pairs = _disjoint_pairs(cosines, high, low)
    if pairs is not None:
        return _matched_order(-similarity, pairs)
    return None


def _disjoint_pairs(
    cosines: Points, special: float, other: float
) -> NDArray[np.bool_] | None:
    K = len(cosines)
    pairs = np.abs(cosines - special) < EQUAL_TOLERANCE
    np.fill_diagonal(pairs, False)
    others = np.abs(cosines - other) < EQUAL_TOLERANCE
    is_two_valued = pairs | others | np.eye(K, dtype=np.bool_)
    if pairs.sum(axis=1).max() == 1 and np.all(is_two_valued):
        return pairs
    return None  # the pairs overlap, or a cosine is neither of the two


def _matched_order(
    weights: Points, special: NDArray[np.bool_]
) -> tuple[Indices, str] | None:
    K = len(weights)
    ends = np.argwhere(np.triu(special))
    # the pairs of classes that get the special pairs of points
    matching, is_proved = min_weight_matching(weights, len(ends))
    if not is_proved:
        return None
    order = np.empty(K, dtype=np.int64)
    order[matching.ravel()] = ends.ravel()
    unmatched_classes = np.setdiff1d(np.arange(K), matching.ravel())
    unpaired_points = np.setdiff1d(np.arange(K), ends.ravel())
    order[unmatched_classes] = unpaired_points
    return order, "its pairs were chosen by matching"
