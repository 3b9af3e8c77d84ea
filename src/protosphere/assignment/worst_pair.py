"""Bottleneck assignment: find an order of the points that minimizes the cost of the worst pair of classes.

The cost of a pair is the similarity of the classes times (1 - cosine) of their points. The worst pair is the pair with
the largest cost, which has similar classes at distant points. An order is an array with the index of the point of each
class: class i gets point order[i].
"""

import numpy as np

from protosphere.assignment.any_objective import swap_classes
from protosphere.assignment.exact import pair_terms
from protosphere.types import Indices, Points

MAX_KICKS = 200
"""Largest number of random perturbations of an order that no exchange of two points improves."""

MAX_ENTRIES = 2_000_000_000
"""Largest number of matrix entries that are evaluated in total; it limits the perturbations if K is large."""

KICK_COST = 40
"""Approximate number of K x K matrices that are evaluated for a perturbation and the exchanges after it."""

TOLERANCE = 1e-12


def worst_pair(similarity: Points, cosines: Points, order: Indices) -> float:
    """Return the largest cost of a pair of classes.

    The cost of a pair is the similarity of the classes times (1 - cosine) of their points.

    Args:
        similarity: K x K matrix of the similarities of the classes.
        cosines: K x K matrix of the cosines of the points.
        order: The index of the point of each class: class i gets point order[i].
    """
    distances = 1 - cosines[np.ix_(order, order)]
    return float(_pair_costs(similarity, distances).max())


def worst_pair_bound(similarity: Points, cosines: Points) -> float:
    """Return a number that the largest cost of a pair of classes reaches or exceeds for every order of the points.

    The cost of a pair is the similarity of the classes times (1 - cosine) of their points. The bound is the lowest
    possible cost of the two most similar classes. They have this cost at the two closest points, or at the two most
    distant points if all similarities are negative.

    Args:
        similarity: K x K matrix of the similarities of the classes.
        cosines: K x K matrix of the cosines of the points.
    """
    upper = np.triu_indices(len(similarity), 1)
    largest = float(similarity[upper].max())
    cosine = cosines[upper].max() if largest >= 0 else cosines[upper].min()
    return largest * (1 - float(cosine))


def exhaustive_worst_pair_order(similarity: Points, cosines: Points) -> Indices:
    """Return the order of the points that minimizes the largest cost of a pair of classes, by trying all K! orders.

    The cost of a pair is the similarity of the classes times (1 - cosine) of their points. If several orders minimize
    the largest cost, the order with the largest sum of similarity times cosine over all pairs is returned.

    Args:
        similarity: K x K matrix of the similarities of the classes.
        cosines: K x K matrix of the cosines of the points.

    Returns:
        An array of K indices. Entry i is the index of the point that class i gets.
    """
    orders, weights, placed = pair_terms(similarity, cosines)
    worst = (weights * (1 - placed)).max(axis=1)
    is_best = worst <= worst.min() + TOLERANCE
    best = np.flatnonzero(is_best)
    alignment = placed[best] @ weights
    return orders[best[np.argmax(alignment)]]


def improve_worst_pair(
    similarity: Points, cosines: Points, start: Indices, rng: np.random.Generator
) -> Indices:
    """Reduce the largest cost of a pair of classes by exchanges of points and random perturbations.

    The cost of a pair is the similarity of the classes times (1 - cosine) of their points. A class of the pair with the
    largest cost exchanges its point with another class as long as this reduces the largest cost. Then the order with
    the lowest largest cost so far is perturbed at random and improved in the same way, many times.

    Args:
        similarity: K x K matrix of the similarities of the classes.
        cosines: K x K matrix of the cosines of the points.
        start: The order at the start: class i has point start[i].
        rng: Random generator for the perturbations.

    Returns:
        The best order that was found, as an array of K indices. Entry i is the index of the point that class i gets.
    """
    K = len(start)
    best, best_value = _descend(similarity, cosines, start)
    matrix_entries = K * K
    affordable = 1 + (MAX_ENTRIES - matrix_entries) // (KICK_COST * matrix_entries)
    for _ in range(min(MAX_KICKS, affordable)):
        kicked = best.copy()
        num_moved = min(K, 2 + int(rng.integers(4)))
        moved = rng.choice(K, num_moved, replace=False)
        kicked[moved] = best[np.roll(moved, 1)]
        order, value = _descend(similarity, cosines, kicked)
        if value <= best_value:
            best = order
            best_value = value
    return best


def _descend(
    similarity: Points, cosines: Points, start: Indices
) -> tuple[Indices, float]:
    order = start.copy()
    distances = 1 - cosines[np.ix_(order, order)]
    while True:
        costs = _pair_costs(similarity, distances)
        first, second = np.unravel_index(np.argmax(costs), costs.shape)
        worst = float(costs[first, second])
        moved = int(first)
        partner, value = _best_partner(similarity, distances, moved)
        other_partner, other_value = _best_partner(similarity, distances, int(second))
        if other_value < value:
            moved = int(second)
            partner = other_partner
            value = other_value
        # every exchange of a class of the worst pair would leave a pair of at least this cost
        if value >= worst - TOLERANCE:
            return order, worst
        swap_classes(distances, order, np.array([moved, partner]))


def _best_partner(similarity: Points, distances: Points, one: int) -> tuple[int, float]:
    # after an exchange of `one` and v, each has the distances that v and `one` had to all other classes
    K = len(distances)
    classes = np.arange(K)
    own_costs = similarity[one] * distances
    partner_costs = similarity * distances[one]
    mutual_costs = similarity[one] * distances[one]
    own_costs[classes, classes] = mutual_costs
    partner_costs[classes, one] = mutual_costs
    own_costs[:, one] = -np.inf
    partner_costs[classes, classes] = -np.inf
    # entry v is the largest cost of a pair with `one` or v after their exchange
    worst = np.maximum(own_costs.max(axis=1), partner_costs.max(axis=1))
    worst[one] = np.inf
    partner = int(np.argmin(worst))
    return partner, float(worst[partner])


def _pair_costs(similarity: Points, distances: Points) -> Points:
    costs = similarity * distances
    np.fill_diagonal(costs, -np.inf)
    return costs
