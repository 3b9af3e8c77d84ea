"""Bottleneck assignment: the order whose worst pair, similar classes at distant points, is as mild as can be found."""

import numpy as np

from protosphere.assignment.any_objective import swap_classes
from protosphere.assignment.exact import pair_terms
from protosphere.types import Indices, Points

KICKS, WORK = 200, 2_000_000_000
"""How often an order that no exchange improves is shaken, and the entries looked at after which no more."""


def worst_pair(similarity: Points, cosines: Points, order: Indices) -> float:
    """The largest S_uv (1 - cos_uv) over pairs of classes: similarity times half the squared distance."""
    return float(_harm(similarity, 1 - cosines[np.ix_(order, order)]).max())


def least_worst_pair(similarity: Points, cosines: Points) -> float:
    """What the worst pair cannot be below: the most similar classes at the nearest points."""
    upper = np.triu_indices(len(similarity), 1)
    return float(similarity[upper].max() * (1 - cosines[upper].max()))


def mildest_of_all(similarity: Points, cosines: Points) -> Indices:
    """Of all orders of a few classes the one with the mildest worst pair; of several the most aligned."""
    orders, weights, placed = pair_terms(similarity, cosines)
    worst = (weights * (1 - placed)).max(axis=1)
    mild = np.flatnonzero(worst <= worst.min() + 1e-12)
    return orders[mild[np.argmax(placed[mild] @ weights)]]


def mildest(
    similarity: Points, cosines: Points, start: Indices, rng: np.random.Generator
) -> Indices:
    """From `start`: exchange one class of the worst pair while that helps, shake, and keep the best."""
    K = len(start)
    best, best_value = _descended(similarity, cosines, start)
    for _ in range(
        min(KICKS, 1 + (WORK - K * K) // (40 * K * K))
    ):  # each about 40 times all pairs
        shaken = best.copy()
        some = rng.choice(K, min(K, 2 + int(rng.integers(4))), replace=False)
        shaken[some] = best[np.roll(some, 1)]
        order, value = _descended(similarity, cosines, shaken)
        if value <= best_value:
            best = order
            best_value = value
    return best


def _descended(
    similarity: Points, cosines: Points, start: Indices
) -> tuple[Indices, float]:
    """The order after exchanges that each mend the worst pair of their time, and its worst pair."""
    order = start.copy()
    far = 1 - cosines[np.ix_(order, order)]
    while True:
        harm = _harm(similarity, far)
        pair = np.unravel_index(np.argmax(harm), harm.shape)
        worst = float(harm[pair])
        exchanges = [_best_partner(similarity, far, int(one)) for one in pair]
        partner, value = min(exchanges, key=lambda found: found[1])
        if value >= worst - 1e-12:
            return order, worst
        moved = int(pair[0] if exchanges[0] == (partner, value) else pair[1])
        swap_classes(far, order, np.array([moved, partner]))


def _best_partner(similarity: Points, far: Points, one: int) -> tuple[int, float]:
    """With whom class `one` should exchange points, and the worst of the pairs that these two then are in.

    At v's point `one` is as far from w as v was, and v is as far from w as `one` was; their own distance stays.
    """
    K = len(far)
    classes = np.arange(K)
    mine = similarity[one] * far
    theirs = similarity * far[one]
    mine[classes, classes] = theirs[classes, one] = similarity[one] * far[one]
    mine[:, one] = -np.inf
    theirs[classes, classes] = -np.inf
    worst = np.maximum(mine.max(axis=1), theirs.max(axis=1))
    worst[one] = np.inf
    partner = int(np.argmin(worst))
    return partner, float(worst[partner])


def _harm(similarity: Points, far: Points) -> Points:
    harm = similarity * far
    np.fill_diagonal(harm, -np.inf)
    return harm
