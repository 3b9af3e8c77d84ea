"""Tabu search over exchanges of two classes. The gains of all exchanges are updated after each step.

The objective is the sum over pairs of classes of S_uv H_uv plus the sum over classes u of L[u, order[u]]. H are the
cosines in the order of the classes and S the similarity, both symmetric with zeros on the diagonal. L is a linear
term.
"""

import numpy as np

from protosphere.compiled.decorators import compiled
from protosphere.types import Indices, Points

MIN_IMPROVEMENT = 1e-9
"""Smallest difference from the best value that counts as an improvement; smaller differences are rounding."""


def exchange_gains(S: Points, H: Points, L: Points, order: Indices) -> Points:
    """Compute the gain of every exchange of two classes, in O(K^3).

    Args:
        S: K x K similarity.
        H: K x K cosines in the order of the classes.
        L: K x K linear term.
        order: The order of the points.

    Returns:
        K x K gains; entry (u, v) is the gain when classes u and v exchange their points.
    """
    products = S @ H
    linear = L[:, order]
    both = products + products.T + linear + linear.T
    own_terms = both.diagonal()
    return both + 2 * S * H - own_terms[:, None] / 2 - own_terms / 2


@compiled
def exchange(
    S: Points, H: Points, L: Points, gains: Points, order: Indices, r: int, s: int
) -> None:
    """Exchange the points of classes r and s, and update the gains above the diagonal in O(K^2).

    Args:
        S: K x K similarity.
        H: K x K cosines in the order of the classes; updated.
        L: K x K linear term.
        gains: K x K gains; updated above the diagonal.
        order: The order of the points; updated.
        r: One class.
        s: The other class.
    """
    K = len(S)
    a = S[r] - S[s]
    b = H[r] - H[s]
    for u in range(K):
        for v in range(u + 1, K):
            gains[u, v] += (a[u] - a[v]) * (b[u] - b[v])
    for u in range(K):
        if u != r and u != s:
            at_r = H[r, u]
            H[r, u] = H[s, u]
            H[s, u] = at_r
            H[u, r] = H[r, u]
            H[u, s] = at_r
    point_of_r = order[r]
    order[r] = order[s]
    order[s] = point_of_r
    for v in range(K):
        of_r = 2 * S[r, v] * H[r, v]
        of_s = 2 * S[s, v] * H[s, v]
        for u in range(K):
            of_r += (S[r, u] - S[v, u]) * (H[v, u] - H[r, u])
            of_s += (S[s, u] - S[v, u]) * (H[v, u] - H[s, u])
        at_v = L[v, order[v]]
        of_r += L[r, order[v]] + L[v, order[r]] - L[r, order[r]] - at_v
        of_s += L[s, order[v]] + L[v, order[s]] - L[s, order[s]] - at_v
        gains[min(r, v), max(r, v)] = of_r
        gains[min(s, v), max(s, v)] = of_s


@compiled
def tabu_search(
    S: Points,
    H: Points,
    L: Points,
    gains: Points,
    order: Indices,
    class_groups: Indices,
    point_groups: Indices,
    tenures: Indices,
) -> Indices:
    """Run Taillard's robust tabu search (1991): each step makes the exchange with the largest gain that is not tabu.

    After an exchange, neither class may return to its point for the number of steps in `tenures`, unless that
    improves on the best value so far.

    Args:
        S: K x K similarity.
        H: K x K cosines in the order of the classes; overwritten.
        L: K x K linear term.
        gains: K x K gains of exchanges; overwritten.
        order: The order to start from; overwritten.
        class_groups: Group number of each class. Exchanges within a group have no effect and are not made.
        point_groups: Group number of each point, in the same sense.
        tenures: (steps, 2) steps for which the two classes of an exchange are tabu.

    Returns:
        The best order found.
    """
    K = len(S)
    until_by_class = np.zeros((K, K), np.int64)
    until_by_point = np.zeros((K, K), np.int64)
    value = 0.0
    best = 0.0
    best_order = order.copy()
    for step in range(len(tenures)):
        largest = -1e300
        r = -1
        s = -1
        for u in range(K):
            here = order[u]
            for v in range(u + 1, K):
                gain = gains[u, v]
                if (
                    gain <= largest
                    or class_groups[u] == class_groups[v]
                    or point_groups[here] == point_groups[order[v]]
                ):
                    continue
                free = (
                    until_by_class[u, order[v]] <= step
                    or until_by_point[here, v] <= step
                )
                if free or value + gain > best + MIN_IMPROVEMENT:
                    largest = gain
                    r = u
                    s = v
        if r < 0:
            continue
        until_by_class[r, order[r]] = step + tenures[step, 0]
        until_by_point[order[r], r] = step + tenures[step, 0]
        until_by_class[s, order[s]] = step + tenures[step, 1]
        until_by_point[order[s], s] = step + tenures[step, 1]
        exchange(S, H, L, gains, order, r, s)
        value += largest
        if value > best + MIN_IMPROVEMENT:
            best = value
            best_order[:] = order
    return best_order
