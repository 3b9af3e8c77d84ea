"""Tabu search for an order of the points: in each step, two classes exchange their points.

An order is an array with the index of the point of each class: class i gets point order[i].

The objective is the sum over pairs of classes u, v of S[u, v] H[u, v], plus the sum over classes u of L[u, order[u]].
It has three K x K matrices:

- S has the similarities of the classes. It is symmetric with zeros on the diagonal.
- H has the cosines of the points of the classes: H[u, v] is the cosine of the points that classes u and v have. It is
  symmetric with zeros on the diagonal.
- L rates single assignments: L[u, i] is added if class u has point i.

The gain of an exchange is the increase of the objective. The gains of all exchanges are updated after each step.
"""

import numpy as np

from protosphere.compiled.decorators import compiled
from protosphere.types import Indices, Points

MIN_IMPROVEMENT = 1e-9
"""Increase of the largest objective so far above which an order is an improvement; smaller ones are rounding errors."""


def exchange_gains(S: Points, H: Points, L: Points, order: Indices) -> Points:
    """Return the gain of every exchange of two classes' points, which is the increase of the objective, in O(K^3).

    The objective is the sum over pairs of classes u, v of S[u, v] H[u, v], plus the sum over classes u of L[u,
    order[u]].

    Args:
        S: Symmetric K x K similarities of the classes, with zeros on the diagonal.
        H: Symmetric K x K cosines of the points that the classes have, with zeros on the diagonal.
        L: K x K matrix; L[u, i] is added to the objective if class u has point i.
        order: The index of the point of each class.

    Returns:
        K x K gains; entry (u, v) is the increase of the objective if classes u and v exchange their points.
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
    """Exchange the points of classes r and s, and update the gains of all exchanges in O(K^2).

    The objective is the sum over pairs of classes u, v of S[u, v] H[u, v], plus the sum over classes u of L[u,
    order[u]]. The gain of an exchange is the increase of the objective.

    Args:
        S: Symmetric K x K similarities of the classes, with zeros on the diagonal.
        H: Symmetric K x K cosines of the points that the classes have, with zeros on the diagonal. The function updates
            this array.
        L: K x K matrix; L[u, i] is added to the objective if class u has point i.
        gains: K x K gains; entry (u, v) with u < v is the gain of an exchange of classes u and v. The function updates
            these entries.
        order: The index of the point of each class. The function updates this array.
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
    """Search for the order of the points with the largest objective by Taillard's robust tabu search (1991).

    The objective is the sum over pairs of classes u, v of S[u, v] H[u, v], plus the sum over classes u of L[u,
    order[u]]. The gain of an exchange of the points of two classes is the increase of the objective.

    Each step makes the exchange with the largest gain that is not tabu. After an exchange, the point that a class left
    is forbidden for this class for some steps. An exchange is tabu if it would give both classes points that are
    forbidden for them. If the objective would become larger than the largest objective so far, the exchange is not
    tabu. A step in which all exchanges are tabu changes nothing.

    Args:
        S: Symmetric K x K similarities of the classes, with zeros on the diagonal.
        H: Symmetric K x K cosines of the points that the classes have, with zeros on the diagonal. The function
            overwrites this array.
        L: K x K matrix; L[u, i] is added to the objective if class u has point i.
        gains: K x K gains; entry (u, v) with u < v is the gain of an exchange of classes u and v. The function
            overwrites this array.
        order: The index of the point of each class at the start. The function overwrites this array.
        class_groups: Index of the group of each class. An exchange of two classes of the same group does not change the
            objective, and is not made.
        point_groups: Index of the group of each point. An exchange of two points of the same group does not change the
            objective, and is not made.
        tenures: Matrix with a row for each step and two columns. After an exchange of classes u < v in step i, the
            point that class u left is forbidden for u until step i + tenures[i, 0]. The point that class v left is
            forbidden for v until step i + tenures[i, 1].

    Returns:
        The order with the largest objective that was found: the index of the point of each class.
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
