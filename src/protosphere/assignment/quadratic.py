"""Quadratic assignment: find an order of the points with a large sum over pairs of classes of similarity times cosine.

An order is an array with the index of the point of each class: class i gets point order[i].
"""

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.exact import EQUAL_TOLERANCE
from protosphere.types import Indices, Points, Progress, ignore

MAX_FAQ_STEPS = 30

FAQ_CONVERGED = 0.03
"""Root mean square change of a row of the doubly stochastic matrix in one step, below which FAQ stops."""

MIN_ROUNDS = 3
MAX_ROUNDS = 10
ROUND_CLASSES = 3_000
"""FAQ runs from ROUND_CLASSES / K perturbed starts, but at least MIN_ROUNDS and at most MAX_ROUNDS."""

MAX_TABU_PAIRS = 1_000_000_000
"""Number of pairs that the tabu search evaluates; it determines the number of steps within the limits below."""

MAX_TABU_STEPS = 30_000
MIN_TABU_STEPS = 1_000


def pair_sum(similarity: Points, cosines: Points, order: Indices) -> float:
    """Return the sum over all pairs of different classes of their similarity times the cosine of their points.

    Args:
        similarity: Symmetric K x K similarity of the classes.
        cosines: Symmetric K x K cosines of the points.
        order: The index of the point of each class.
    """
    placed = cosines[np.ix_(order, order)]
    own_terms = similarity.diagonal() @ cosines.diagonal()[order]
    return float(np.vdot(similarity, placed) - own_terms) / 2


def faq(similarity: Points, cosines: Points, start: Points | None = None) -> Indices:
    """Find an order of the points with a large sum over pairs of classes of similarity times cosine, by algorithm FAQ.

    FAQ (Vogelstein et al. 2015) replaces the permutation matrix of the order by a doubly stochastic matrix, and
    maximizes the sum over such matrices by the Frank-Wolfe method.

    Args:
        similarity: Symmetric K x K similarity of the classes, with a zero diagonal.
        cosines: Symmetric K x K cosines of the points, with a zero diagonal.
        start: Doubly stochastic K x K matrix to start from. If it is None, all entries of the start are 1 / K.

    Returns:
        The index of the point of each class. The permutation matrix of this order is the nearest one to the doubly
        stochastic matrix that was found.
    """
    from scipy.optimize import linear_sum_assignment

    # scipy's `quadratic_assignment` needs four matrix products a step, because its matrices need not be symmetric; here
    # one is enough, which halves the time: 4.9 s instead of 9.7 s at K = 1,000
    K = len(similarity)
    rows = np.arange(K)
    current = np.full((K, K), 1 / K) if start is None else start.copy()
    gradient = similarity @ current @ cosines
    for _ in range(MAX_FAQ_STEPS):
        vertex = linear_sum_assignment(gradient, maximize=True)[1]
        permuted = np.empty_like(similarity)
        permuted[:, vertex] = similarity
        vertex_gradient = permuted @ cosines
        here = np.vdot(current, gradient)
        across = gradient[rows, vertex].sum()
        there = vertex_gradient[rows, vertex].sum()
        curvature = here - 2 * across + there
        slope = across - here
        step = 1.0 if slope >= -curvature else float(-slope / curvature)
        overlap = current[rows, vertex].sum()
        squared_distance = np.vdot(current, current) - 2 * overlap + K
        change = step * np.sqrt(max(0.0, squared_distance) / K)
        current *= 1 - step
        current[rows, vertex] += step
        gradient = (1 - step) * gradient + step * vertex_gradient
        if change < FAQ_CONVERGED:
            break
    order = linear_sum_assignment(current, maximize=True)[1]
    return np.asarray(order, dtype=np.int64)


def interchangeable(matrix: Points) -> Indices:
    """Return, for each index i, the smallest index j that can be exchanged with i without changing a symmetric matrix.

    An exchange of i and j exchanges rows i and j, and columns i and j. Because i can be exchanged with itself, j is at
    most i. The diagonal is ignored.

    Args:
        matrix: Symmetric matrix.

    Example:
        >>> interchangeable(np.array([[0.0, 5, 1], [5, 0, 1], [1, 1, 0]]))
        array([0, 0, 2])
    """
    weights = np.random.default_rng(0).standard_normal(len(matrix))
    row_sums = matrix @ weights - matrix.diagonal() * weights
    sums_of_others = row_sums[:, None] - matrix * weights
    differences = np.abs(sums_of_others - sums_of_others.T)
    tolerance = EQUAL_TOLERANCE * max(1.0, float(np.abs(matrix).max()))
    return np.argmax(differences < tolerance, axis=1)


def tabu(
    similarity: Points,
    cosines: Points,
    order: Indices,
    steps: int,
    rng: np.random.Generator,
    linear: Points | None = None,
) -> Indices:
    """Improve an order of the points by tabu search: in each step, two classes exchange their points.

    The search maximizes the sum over pairs of classes of similarity times the cosine of their points.

    Args:
        similarity: Symmetric K x K similarity of the classes.
        cosines: Symmetric K x K cosines of the points.
        order: The index of the point of each class, to start from.
        steps: Number of steps, each of which makes at most one exchange.
        rng: Random generator. It chooses for how many steps a class must not return to a point that it left.
        linear: K x K matrix L. The sum of L[u, order[u]] over all classes u is added to the sum to be maximized. If it
            is None, nothing is added.

    Returns:
        The order with the largest sum that was found: the index of the point of each class.
    """
    from protosphere.assignment.swaps import exchange_gains, tabu_search

    K = len(order)
    S = without_diagonal(similarity)
    G = without_diagonal(cosines)
    tenures = rng.integers(K // 2, 3 * K // 2 + 1, (steps, 2)) + 1
    if linear is None:
        linear_term = np.zeros((K, K))
        class_groups = interchangeable(S)
        point_groups = interchangeable(G)
    else:
        linear_term = linear
        class_groups = np.arange(K)
        point_groups = np.arange(K)
    H = np.ascontiguousarray(G[np.ix_(order, order)])
    gains = exchange_gains(S, H, linear_term, order)
    start = order.astype(np.int64)
    return tabu_search(
        S, H, linear_term, gains, start, class_groups, point_groups, tenures
    )


def without_diagonal(matrix: NDArray[np.float64]) -> Points:
    """Return a copy of `matrix` with zeros on the diagonal."""
    copy = np.array(matrix, dtype=np.float64, order="C")
    np.fill_diagonal(copy, 0.0)
    return copy


def perturbed(order: Indices, rng: np.random.Generator) -> Points:
    """Return the doubly stochastic K x K matrix 0.2 P + 0.4 Q + 0.4 J / K.

    P is the permutation matrix of `order`, Q the permutation matrix of a random order, and J the all-ones matrix.

    Args:
        order: The index of the point of each class.
        rng: Random generator for the random order.
    """
    K = len(order)
    rows = np.arange(K)
    matrix = np.full((K, K), 0.4 / K)
    matrix[rows, order] += 0.2
    matrix[rows, rng.permutation(K)] += 0.4
    return matrix


def maximize_pair_sum(
    similarity: Points,
    cosines: Points,
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Indices:
    """Find an order of the points with a large sum over pairs of classes of similarity times cosine.

    An approximate algorithm runs from several starts, and a tabu search improves the best order.

    Args:
        similarity: Symmetric K x K similarity of the classes.
        cosines: Symmetric K x K cosines of the points.
        rng: Random generator for the starts and the tabu search.
        progress: Function that is called with the name of the stage, the number of finished steps and the number of all
            steps.

    Returns:
        The order with the largest sum that was found: the index of the point of each class.
    """
    K = len(similarity)
    S = without_diagonal(similarity)
    G = without_diagonal(cosines)
    num_rounds = int(np.clip(ROUND_CLASSES // K, MIN_ROUNDS, MAX_ROUNDS))
    num_stages = num_rounds + 2
    best = _better(S, G, np.arange(K), faq(S, G))
    for done in range(num_rounds):
        progress("assigning", done + 1, num_stages)
        best = _better(S, G, best, faq(S, G, perturbed(best, rng)))
    affordable_steps = MAX_TABU_PAIRS // K**2
    steps = int(min(MAX_TABU_STEPS, max(MIN_TABU_STEPS, affordable_steps)))
    best = tabu(S, G, best, steps, rng)
    progress("assigning", num_stages, num_stages)
    return best


def _better(S: Points, G: Points, first: Indices, second: Indices) -> Indices:
    if pair_sum(S, G, second) > pair_sum(S, G, first):
        return second
    return first
