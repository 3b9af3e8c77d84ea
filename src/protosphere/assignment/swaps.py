"""Tabu search over exchanges of two classes: every exchange's gain is known, and is brought up to date after each one.

Maximised is the sum over pairs of classes of S_uv H_uv plus the sum of L_u,order[u]: H are the cosines in the order of
the classes, S the similarity, both symmetric with zeros on the diagonal, and L a linear term.
"""

import numpy as np

from protosphere.compiled.decorators import compiled
from protosphere.types import Indices, Points

IMPROVED = 1e-9
"""By how much a value must exceed the best one to count as better: less is rounding."""


def exchange_gains(S: Points, H: Points, L: Points, order: Indices) -> Points:
    """What the value gains when two classes exchange their points, for every two: O(K^3), once."""
    products = S @ H
    linear = L[:, order]
    both = products + products.T + linear + linear.T
    return both + 2 * S * H - both.diagonal()[:, None] / 2 - both.diagonal() / 2


@compiled
def exchange(
    S: Points, H: Points, L: Points, gains: Points, order: Indices, r: int, s: int
) -> None:
    """Exchange the points of classes r and s, and bring the gains above the diagonal up to date in O(K^2)."""
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
    class_twins: Indices,
    point_twins: Indices,
    tenures: Indices,
) -> Indices:
    """The best order met in one exchange per row of `tenures`, always the one that gains most and is not tabu.

    After an exchange neither class may return to its point for as many steps as that row says, unless that is better
    than everything before (Taillard's robust tabu search, 1991). Classes with the same twin number, and points, can be
    exchanged without any effect, and are not. `H`, `gains` and `order` are overwritten.
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
                    or class_twins[u] == class_twins[v]
                    or point_twins[here] == point_twins[order[v]]
                ):
                    continue
                free = (
                    until_by_class[u, order[v]] <= step
                    or until_by_point[here, v] <= step
                )
                if free or value + gain > best + IMPROVED:
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
        if value > best + IMPROVED:
            best = value
            best_order[:] = order
    return best_order
