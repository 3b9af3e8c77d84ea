"""Bottleneck assignment: an order that minimizes the worst pair, that is, similar classes at distant points."""

import numpy as np

from protosphere.assignment.any_objective import swap_classes
from protosphere.assignment.exact import pair_terms
from protosphere.types import Indices, Points

MAX_KICKS = 200
"""Number of perturbations of an order that no exchange improves."""

MAX_ENTRIES = 2_000_000_000
"""Number of matrix entries evaluated in total. It limits the number of perturbations for many classes."""

KICK_COST = 40
"""Approximate cost of a perturbation and its descent, in K x K matrices."""

TOLERANCE = 1e-12


def worst_pair(similarity: Points, cosines: Points, order: Indices) -> float:
    """Return the largest S_uv (1 - cos_uv) over pairs of classes: similarity times half the squared distance.

    Args:
        similarity: The K x K similarity S.
        cosines: The K x K cosines of the points.
        order: The index of the point of each class.
    """
    distances = 1 - cosines[np.ix_(order, order)]
    return float(_pair_costs(similarity, distances).max())


def worst_pair_bound(similarity: Points, cosines: Points) -> float:
    """Return a lower bound on the worst pair over all orders: the most similar classes at the closest two points.

    Args:
        similarity: The K x K similarity.
        cosines: The K x K cosines of the points.
    """
    upper = np.triu_indices(len(similarity), 1)
    return float(similarity[upper].max() * (1 - cosines[upper].max()))


def exhaustive_worst_pair_order(similarity: Points, cosines: Points) -> Indices:
    """Return the order that minimizes the largest S_uv (1 - cos_uv) over pairs of classes, by trying all K! orders.

    Among ties, the order with the largest sum of S_uv cos_uv is returned.

    Args:
        similarity: The K x K similarity S.
        cosines: The K x K cosines of the points.
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
    """Improve an order by exchanging a class of the worst pair while that helps, then perturbing the best order.

    Args:
        similarity: The K x K similarity.
        cosines: The K x K cosines of the points.
        start: The order to start from.
        rng: Source of the perturbations.

    Returns:
        The best order found.
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
    """Exchange a class of the worst pair with another class while that lowers the cost of the worst pair.

    Returns:
        The order, and the cost of its worst pair.
    """
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
        if value >= worst - TOLERANCE:
            return order, worst
        swap_classes(distances, order, np.array([moved, partner]))


def _best_partner(similarity: Points, distances: Points, one: int) -> tuple[int, float]:
    """Find the best class with which class `one` exchanges its point.

    If `one` and v exchange their points, each takes over the other's distances to all other classes. The distance of
    `one` and v stays the same.

    Returns:
        The class v, and the cost of the worst pair that contains `one` or v after the exchange.
    """
    K = len(distances)
    classes = np.arange(K)
    own_costs = similarity[one] * distances
    partner_costs = similarity * distances[one]
    mutual_costs = similarity[one] * distances[one]
    own_costs[classes, classes] = mutual_costs
    partner_costs[classes, one] = mutual_costs
    own_costs[:, one] = -np.inf
    partner_costs[classes, classes] = -np.inf
    worst = np.maximum(own_costs.max(axis=1), partner_costs.max(axis=1))
    worst[one] = np.inf
    partner = int(np.argmin(worst))
    return partner, float(worst[partner])


def _pair_costs(similarity: Points, distances: Points) -> Points:
    costs = similarity * distances
    np.fill_diagonal(costs, -np.inf)
    return costs
