"""Minimum-weight matching with a given number of pairs, by linear programs with cutting planes.

With 300 classes, this method takes 0.01 s, an integer program over all edges (scipy's `milp`) takes 1.4 s, and the
blossom algorithm of networkx takes 8 s. With 1,000 classes, this method takes 0.3 s, and `milp` finds no solution
within 70 s.
"""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, Points

Mask = NDArray[np.bool_]

NUM_NEIGHBORS = 12
"""Number of edges of each vertex in the first linear program, which has the edges of smallest weight."""

TOLERANCE = 1e-7
INTEGER_TOLERANCE = 1e-6
MAX_ROUNDS = 200

COMPONENT_THRESHOLDS = (TOLERANCE, 0.3)
"""For each threshold, the edges with values above it and below 1 form a graph. Its components may be odd sets."""


@dataclass(frozen=True, eq=False)
class _Solution:
    """The solution of a linear program.

    Attributes:
        first: One end of each edge in the program.
        second: The other end of each edge in the program.
        values: The value of each edge in the program, from 0 to 1.
        reduced_costs: K x K reduced costs of all edges, including edges that are not in the program.
    """

    first: Indices
    second: Indices
    values: Points
    reduced_costs: Points


@dataclass(eq=False)
class _MatchingProgram:
    """The linear program of a matching, that is a set of edges without common vertices.

    Attributes:
        weights: K x K weights of the edges between K vertices.
        num_pairs: Number of edges of the matching.
        edges: K x K Boolean matrix of the edges in the program. Only entries above the diagonal are True.
        odd_sets: Boolean arrays over the vertices. Each array marks a set of an odd number of vertices. A matching has
            at most (b-1)/2 edges within a set of b vertices, and the program requires this.
    """

    weights: Points
    num_pairs: int
    edges: Mask
    odd_sets: list[Mask] = field(default_factory=list[Mask])

    def solve(self) -> _Solution:
        # The types of scipy's linprog do not know sparse matrices.
        linprog: Any = import_module("scipy.optimize").linprog
        first, second = np.nonzero(self.edges)
        matrix, limits = self._constraints(first, second)
        answer = linprog(
            self.weights[first, second],
            A_ub=matrix,
            b_ub=limits,
            A_eq=np.ones((1, len(first))),
            b_eq=[self.num_pairs],
            bounds=(0, 1),
            method="highs-ds",
        )
        reduced_costs = self._reduced_costs(
            answer.ineqlin.marginals, answer.eqlin.marginals[0]
        )
        return _Solution(first, second, np.asarray(answer.x), reduced_costs)

    def _constraints(self, first: Indices, second: Indices) -> tuple[Any, Points]:
        """Return the matrix and the upper limits of the inequalities.

        For each vertex v, row v requires that at most one edge at v is chosen. Each later row belongs to one of
        `odd_sets` and limits the number of edges within this set.

        Args:
            first: One end of each edge in the program.
            second: The other end of each edge in the program.
        """
        from scipy.sparse import csr_array

        K = len(self.weights)
        edges = np.arange(len(first))
        rows = [first, second]
        columns = [edges, edges]
        limits = [np.ones(K)]
        for number, members in enumerate(self.odd_sets):
            inside = np.flatnonzero(members[first] & members[second])
            rows.append(np.full(len(inside), K + number))
            columns.append(inside)
            limits.append(np.array([(members.sum() - 1) // 2]))
        all_rows = np.concatenate(rows)
        all_columns = np.concatenate(columns)
        all_limits = np.concatenate(limits)
        entries = np.ones(len(all_rows))
        matrix = csr_array(
            (entries, (all_rows, all_columns)), shape=(len(all_limits), len(first))
        )
        return matrix, all_limits

    def _reduced_costs(self, duals: Points, dual_of_count: float) -> Points:
        K = len(self.weights)
        reduced = self.weights - duals[:K, None] - duals[:K] - dual_of_count
        for members, dual in zip(self.odd_sets, duals[K:], strict=True):
            reduced -= dual * (members[:, None] & members)
        return reduced

    def add_violated_odd_sets(self, solution: _Solution) -> bool:
        """Search for odd sets of vertices whose inequality `solution` violates, and add them to `odd_sets`.

        Returns:
            Whether such sets were found.
        """
        count_before = len(self.odd_sets)
        for threshold in COMPONENT_THRESHOLDS:
            for members in self._odd_components(solution, threshold):
                is_inside = members[solution.first] & members[solution.second]
                limit = (members.sum() - 1) // 2
                if solution.values[is_inside].sum() > limit + TOLERANCE:
                    self.odd_sets.append(members)
        return len(self.odd_sets) > count_before

    def _odd_components(self, solution: _Solution, threshold: float) -> list[Mask]:
        """Return sets of an odd number of vertices, at least three, as Boolean arrays over the vertices.

        The sets are connected components of a graph. Its edges are the edges whose values in `solution` are above
        `threshold` and below 1.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        K = len(self.weights)
        is_fractional = (solution.values > threshold) & (
            solution.values < 1 - TOLERANCE
        )
        ends = (solution.first[is_fractional], solution.second[is_fractional])
        graph = csr_array((np.ones(len(ends[0])), ends), shape=(K, K))
        _, labels = connected_components(graph, directed=False)
        sizes = np.bincount(labels)
        is_odd = (sizes % 2 == 1) & (sizes > 1)
        return [labels == component for component in np.flatnonzero(is_odd)]


def min_weight_matching(weights: Points, num_pairs: int) -> tuple[Indices, bool]:
    """Return a given number of disjoint pairs with the smallest total weight.

    The pairs are the edges of a matching in a graph with K vertices. A sequence of linear programs finds the matching.
    The first program has only edges of small weight, and requires that at most one edge is chosen at each vertex. Each
    later program has more edges (those with negative reduced cost) or more odd sets (see `_MatchingProgram`). The
    sequence ends when nothing needs to be added. If the last solution has fractional values, an integer program finds
    the matching.

    Args:
        weights: Symmetric K x K weights of the pairs.
        num_pairs: Number of pairs.

    Returns:
        The pairs, one per row, and whether their total weight is proved to be the smallest.

    Example:
        >>> min_weight_matching(np.array([[0.0, 9, 1, 9], [9, 0, 9, 2], [1, 9, 0, 9], [9, 2, 9, 0]]), 2)
        (array([[0, 2],
               [1, 3]]), True)
    """
    K = len(weights)
    above_diagonal = np.triu(np.ones((K, K), dtype=np.bool_), 1)
    program = _MatchingProgram(weights, num_pairs, _first_edges(weights))
    solution = program.solve()
    for _ in range(MAX_ROUNDS):
        is_cheaper = solution.reduced_costs < -TOLERANCE
        missing = is_cheaper & above_diagonal & ~program.edges
        if missing.any():
            program.edges |= missing
        elif not program.add_violated_odd_sets(solution):
            break
        solution = program.solve()
    values = solution.values
    costs = weights[solution.first, solution.second]
    fractionality = np.minimum(values, 1 - values)
    is_integral = bool(np.all(fractionality < INTEGER_TOLERANCE))
    if is_integral:
        in_matching = values > 0.5
        is_proved = True
    else:
        in_matching = _branch_and_bound(program, solution)
        lower_bound = costs @ values
        is_proved = bool(costs[in_matching].sum() <= lower_bound + TOLERANCE)
    pairs = (solution.first[in_matching], solution.second[in_matching])
    return np.column_stack(pairs), is_proved


def _first_edges(weights: Points) -> Mask:
    """Return a K x K Boolean matrix of the edges of the first linear program. Only entries above the diagonal are True.

    The edges are the `NUM_NEIGHBORS` edges of smallest weight at each vertex, and the edges of some matching, so that
    the program has a solution.
    """
    K = len(weights)
    without_loops = np.where(np.eye(K, dtype=np.bool_), np.inf, weights)
    nearest = np.argsort(without_loops, axis=1)[:, :NUM_NEIGHBORS]
    edges = np.zeros((K, K), dtype=np.bool_)
    edges[np.arange(K)[:, None], nearest] = True
    edges[np.arange(0, K - 1, 2), np.arange(1, K, 2)] = True  # so that it is feasible
    return np.triu(edges | edges.T, 1)


def _branch_and_bound(program: _MatchingProgram, solution: _Solution) -> Mask:
    """Return a Boolean array that says which edges of `solution` are in the matching of smallest total weight.

    The matching has `program.num_pairs` edges. An integer program finds it among the edges of `solution`.
    """
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    count = len(solution.first)
    K = len(program.weights)
    rows = np.concatenate([solution.first, solution.second, np.full(count, K)])
    columns = np.tile(np.arange(count), 3)
    matrix = csr_array((np.ones(3 * count), (rows, columns)), shape=(K + 1, count))
    low = np.append(np.zeros(K), program.num_pairs)
    high = np.append(np.ones(K), program.num_pairs)
    answer: Any = milp(
        program.weights[solution.first, solution.second],
        constraints=LinearConstraint(matrix, low, high),
        integrality=np.ones(count, dtype=np.int64),
    )
    return np.asarray(answer.x) > 0.5
