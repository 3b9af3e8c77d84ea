"""All orders of a few classes, looked at one by one."""

from collections.abc import Callable
from functools import cache
from itertools import permutations

import numpy as np

from protosphere.types import Indices, Points

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
    return orders, similarity[first, second], cosines[orders[:, first], orders[:, second]]


def largest_pair_sum(similarity: Points, cosines: Points) -> Indices:
    """The order with the largest sum over pairs of similarity times cosine."""
    orders, weights, placed = pair_terms(similarity, cosines)
    return orders[np.argmax(placed @ weights)]


def best_of_all(value: Callable[[Indices], float], num_classes: int) -> Indices:
    """The order with the largest value."""
    return max(all_orders(num_classes), key=value)
