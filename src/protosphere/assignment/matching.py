"""The cheapest matching with a given number of pairs, exactly: linear programs, cut until a vertex is a matching."""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, Points

NEIGHBOURS = 12
"""Each vertex's cheapest edges, with which the first program begins."""

TINY = 1e-7
MOST_ROUNDS = 200


@dataclass(eq=False)
class _Program:
    """Edges that are in the program, and odd sets B, in which no matching has more than (|B| - 1) / 2 edges."""

    weights: Points
    pairs: int
    edges: NDArray[np.bool_]
    odd_sets: list[NDArray[np.bool_]] = field(default_factory=list[NDArray[np.bool_]])

    def solve(self) -> tuple[Indices, Indices, Points, Points]:
        """Ends of the edges, how much of each is taken, and every edge's reduced cost, in the program or not."""
        from scipy.sparse import csr_array

        linprog: Any = import_module(
            "scipy.optimize"
        ).linprog  # its types know no sparse matrices
        first, second = np.nonzero(self.edges)
        K = len(self.weights)
        count = len(first)
        inside = [
            np.flatnonzero(members[first] & members[second])
            for members in self.odd_sets
        ]
        rows = np.concatenate(
            [first, second, *(np.full(len(e), K + i) for i, e in enumerate(inside))]
        )
        columns = np.concatenate([np.arange(count), np.arange(count), *inside])
        limits = np.concatenate(
            [np.ones(K), [(m.sum() - 1) // 2 for m in self.odd_sets]]
        )
        matrix = csr_array(
            (np.ones(len(rows)), (rows, columns)), shape=(len(limits), count)
        )
        cost = self.weights[first, second]
        all_edges = np.ones((1, count))
        program = {
            "A_ub": matrix,
            "b_ub": limits,
            "A_eq": all_edges,
            "b_eq": [self.pairs],
            "bounds": (0, 1),
        }
        answer = linprog(cost, **program, method="highs-ds")
        duals = answer.ineqlin.marginals
        reduced = self.weights - duals[:K, None] - duals[:K] - answer.eqlin.marginals[0]
        for members, dual in zip(self.odd_sets, duals[K:], strict=True):
            reduced -= dual * (members[:, None] & members)
        return first, second, np.asarray(answer.x), reduced

    def cut(self, first: Indices, second: Indices, taken: Points) -> bool:
        """Add the odd sets that are violated among the components of the edges taken in part; whether there are any."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        K = len(self.weights)
        before = len(self.odd_sets)
        for least in (TINY, 0.3):
            part = (taken > least) & (taken < 1 - TINY)
            graph = csr_array(
                (np.ones(part.sum()), (first[part], second[part])), shape=(K, K)
            )
            _, label = connected_components(graph, directed=False)
            for component in np.flatnonzero(
                np.bincount(label) % 2 * (np.bincount(label) > 1)
            ):
                members = label == component
                inside = taken[members[first] & members[second]].sum()
                if inside > (members.sum() - 1) // 2 + TINY:
                    self.odd_sets.append(members)
        return len(self.odd_sets) > before


def cheapest_matching(weights: Points, pairs: int) -> tuple[Indices, bool]:
    """The `pairs` disjoint pairs with the least total weight, one per row, and whether that is proved.

    Edmonds' polytope: degrees at most 1 and odd-set inequalities, found where a solution violates them; edges outside
    the program enter it while their reduced cost is negative.

    >>> cheapest_matching(np.array([[0.0, 9, 1, 9], [9, 0, 9, 2], [1, 9, 0, 9], [9, 2, 9, 0]]), 2)
    (array([[0, 2],
           [1, 3]]), True)
    """
    K = len(weights)
    above = np.triu(np.ones((K, K), dtype=np.bool_), 1)
    near = np.argsort(np.where(np.eye(K, dtype=np.bool_), np.inf, weights), axis=1)[
        :, :NEIGHBOURS
    ]
    edges = np.zeros((K, K), dtype=np.bool_)
    edges[np.arange(K)[:, None], near] = True
    edges[np.arange(0, K - 1, 2), np.arange(1, K, 2)] = (
        True  # some matching, so that there is a solution
    )
    program = _Program(weights, pairs, (edges | edges.T) & above)
    first, second, taken, reduced = program.solve()
    for _ in range(MOST_ROUNDS):
        missing = (reduced < -TINY) & above & ~program.edges
        if missing.any():
            program.edges |= missing
        elif not program.cut(first, second, taken):
            break
        first, second, taken, reduced = program.solve()
    whole = bool(np.all(np.minimum(taken, 1 - taken) < 1e-6))
    chosen = taken > 0.5 if whole else _integral(program, first, second)
    cost = weights[
        first, second
    ]  # the program bounds what all matchings cost from below
    proved = whole or bool(cost[chosen].sum() <= cost @ taken + TINY)
    return np.column_stack([first[chosen], second[chosen]]), proved


def _integral(program: _Program, first: Indices, second: Indices) -> NDArray[np.bool_]:
    """Which edges of the program are the cheapest matching of them, by branch and bound."""
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    count = len(first)
    K = len(program.weights)
    rows = np.concatenate([first, second, np.full(count, K)])
    columns = np.tile(np.arange(count), 3)
    matrix = csr_array((np.ones(3 * count), (rows, columns)), shape=(K + 1, count))
    low = np.append(np.zeros(K), program.pairs)
    high = np.append(np.ones(K), program.pairs)
    cost = program.weights[first, second]
    whole = np.ones(count, dtype=np.int64)
    answer: Any = milp(
        cost, constraints=LinearConstraint(matrix, low, high), integrality=whole
    )
    return np.asarray(answer.x) > 0.5
