"""Assignment by an objective of which nothing is known: exchanges of two classes, kept if they are better."""

from collections.abc import Callable, Sequence

import numpy as np

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Indices, Points, Progress, ignore

Objective = Callable[[Points, Points], float]
"""(similarity, cosines of the prototypes), both K x K in the order of the classes, to a number: larger is better."""

EVALUATIONS = 30_000


def value_of(objective: Objective, similarity: Points, cosines: Points) -> float:
    """What the objective says; one sentence where that is not a number."""
    value = objective(similarity, cosines)
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"'objective' must return a number, got {brief(value)}"
        ) from error
    if np.isnan(number):
        raise InvalidArgumentError("'objective' must return a number, got NaN")
    return number


def climbed(
    objective: Objective,
    similarity: Points,
    cosines: Points,
    starts: Sequence[Indices],
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Indices:
    """The best order found by random exchanges from the best of `starts` and of random orders."""
    K = len(similarity)
    candidates = [*starts, *(rng.permutation(K) for _ in range(EVALUATIONS // 20))]

    def placed(order: Indices) -> float:
        return value_of(objective, similarity, cosines[np.ix_(order, order)])

    best, order = max(
        ((placed(order), order.copy()) for order in candidates),
        key=lambda found: found[0],
    )
    near = np.ascontiguousarray(cosines[np.ix_(order, order)])
    for step in range(EVALUATIONS):
        both = rng.choice(K, 2, replace=False)
        swap_classes(near, order, both)
        value = value_of(objective, similarity, near)
        if value >= best:
            best = value
        else:
            swap_classes(near, order, both)
        if step % 1000 == 0:
            progress("assigning", step, EVALUATIONS)
    return order


def swap_classes(near: Points, order: Indices, both: Indices) -> None:
    """Let two classes exchange their points: in the order, and in a matrix of pairs in that order."""
    other = both[::-1]
    order[both] = order[other]
    near[both] = near[other]
    near[:, both] = near[:, other]
