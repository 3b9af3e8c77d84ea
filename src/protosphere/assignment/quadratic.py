"""Quadratic assignment: the order of the points that maximises the sum over pairs of classes of S_uv cos_uv."""

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.exact import ROUNDING_TOLERANCE
from protosphere.types import Indices, Points, Progress, ignore

FAQ_STEPS, FAQ_STILL = 30, 0.03
"""Steps of the relaxed problem, and how short one must be, by the root mean square per row, to be the last."""

ROUNDS, ROUND_CLASSES = (3, 10), 3_000
"""How often the relaxed problem is solved anew from a shaken start: so many classes in all, within these limits."""

PAIRS, MOST_STEPS, LEAST_STEPS = 1_000_000_000, 30_000, 1_000
"""Pairs that the tabu search looks at, and the steps that makes at most and at least."""


def pair_sum(similarity: Points, cosines: Points, order: Indices) -> float:
    """The sum over pairs of classes of similarity times cosine, class u at point order[u]."""
    own = similarity.diagonal() @ cosines.diagonal()[order]
    return float(np.vdot(similarity, cosines[np.ix_(order, order)]) - own) / 2


def faq(similarity: Points, cosines: Points, start: Points | None = None) -> Indices:
    """Frank and Wolfe's method on doubly stochastic matrices (Vogelstein et al. 2015), from the centre or from `start`.

    What scipy's `quadratic_assignment` does, for symmetric matrices: one product and one assignment a step.
    """
    from scipy.optimize import linear_sum_assignment

    K = len(similarity)
    rows = np.arange(K)
    inside = np.full((K, K), 1 / K) if start is None else start.copy()
    pull = similarity @ inside @ cosines
    for _ in range(FAQ_STEPS):
        vertex = linear_sum_assignment(pull, maximize=True)[1]
        permuted = np.empty_like(similarity)
        permuted[:, vertex] = similarity
        vertex_pull = permuted @ cosines
        here = np.vdot(inside, pull)
        across = pull[rows, vertex].sum()
        there = vertex_pull[rows, vertex].sum()
        curvature = here - 2 * across + there
        slope = across - here
        share = 1.0 if slope >= -curvature else float(-slope / curvature)
        moved = share * np.sqrt(
            max(0.0, np.vdot(inside, inside) - 2 * inside[rows, vertex].sum() + K) / K
        )
        inside *= 1 - share
        inside[rows, vertex] += share
        pull = (1 - share) * pull + share * vertex_pull
        if moved < FAQ_STILL:
            break
    return np.asarray(linear_sum_assignment(inside, maximize=True)[1], dtype=np.int64)


def twins(matrix: Points) -> Indices:
    """For each row the first one that can be exchanged with it and leave the symmetric matrix as it is.

    >>> twins(np.array([[0.0, 5, 1], [5, 0, 1], [1, 1, 0]]))
    array([0, 0, 2])
    """
    weights = np.random.default_rng(0).standard_normal(len(matrix))
    others = (matrix @ weights - matrix.diagonal() * weights)[
        :, None
    ] - matrix * weights
    return np.argmax(
        np.abs(others - others.T)
        < ROUNDING_TOLERANCE * max(1.0, float(np.abs(matrix).max())),
        axis=1,
    )


def tabu(
    similarity: Points,
    cosines: Points,
    order: Indices,
    steps: int,
    rng: np.random.Generator,
    linear: Points | None = None,
) -> Indices:
    """A better order, by tabu search from this one; `linear` adds the sum of linear[u, order[u]]."""
    from protosphere.assignment.swaps import exchange_gains, tabu_search

    K = len(order)
    S = without_diagonal(similarity)
    G = without_diagonal(cosines)
    tenures = rng.integers(K // 2, 3 * K // 2 + 1, (steps, 2)) + 1
    L = np.zeros((K, K)) if linear is None else linear
    unlike = np.arange(K)
    class_twins, point_twins = (
        (twins(S), twins(G)) if linear is None else (unlike, unlike)
    )
    H = np.ascontiguousarray(G[np.ix_(order, order)])
    gains = exchange_gains(S, H, L, order)
    start = order.astype(np.int64)
    return tabu_search(S, H, L, gains, start, class_twins, point_twins, tenures)


def without_diagonal(matrix: NDArray[np.float64]) -> Points:
    """A copy with zeros on the diagonal."""
    copy = np.array(matrix, dtype=np.float64, order="C")
    np.fill_diagonal(copy, 0.0)
    return copy


def shaken(order: Indices, rng: np.random.Generator) -> Points:
    """A doubly stochastic matrix: a fifth this order, two fifths a random one, two fifths all orders alike."""
    K = len(order)
    matrix = np.full((K, K), 0.4 / K)
    matrix[np.arange(K), order] += 0.2
    matrix[np.arange(K), rng.permutation(K)] += 0.4
    return matrix


def maximised(
    similarity: Points,
    cosines: Points,
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Indices:
    """The best order found: relaxed solutions from the centre and from shaken ones, then a tabu search."""
    K = len(similarity)
    S = without_diagonal(similarity)
    G = without_diagonal(cosines)
    rounds = int(np.clip(ROUND_CLASSES // K, *ROUNDS))
    best = max((np.arange(K), faq(S, G)), key=lambda order: pair_sum(S, G, order))
    for done in range(rounds):
        progress("assigning", done + 1, rounds + 2)
        best = max(
            (best, faq(S, G, shaken(best, rng))),
            key=lambda order: pair_sum(S, G, order),
        )
    best = tabu(S, G, best, int(min(MOST_STEPS, max(LEAST_STEPS, PAIRS // K**2))), rng)
    progress("assigning", rounds + 2, rounds + 2)
    return best
