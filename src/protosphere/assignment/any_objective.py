"""Assign prototypes to classes so that an arbitrary function is large, by exchanges of the prototypes of two classes.

An order is an array with the index of the point of each class: class i gets point order[i].

The function is called the objective. Its arguments are two K x K matrices in the order of the classes: the similarity
of the classes, and the cosines of their prototypes.
"""

from collections.abc import Callable, Sequence

import numpy as np

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Indices, Points, Progress, ignore

Objective = Callable[[Points, Points], float]
"""Function of two K x K matrices in the order of the classes: their similarity, and the cosines of their prototypes.

Orders with larger values of the function are better.
"""

MAX_EXCHANGES = 30_000
NUM_RANDOM_ORDERS = MAX_EXCHANGES // 20
REPORT_EVERY = 1000


def value_of(objective: Objective, similarity: Points, cosines: Points) -> float:
    """Return the value of an objective for one assignment of prototypes to classes, as a float.

    Args:
        objective: Function of the two matrices `similarity` and `cosines`.
        similarity: K x K similarity of the classes.
        cosines: K x K cosines of the prototypes, in the order of the classes.

    Raises:
        InvalidArgumentError: If the objective returns NaN, or something that is not a number.
    """
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


def hill_climb(
    objective: Objective,
    similarity: Points,
    cosines: Points,
    starts: Sequence[Indices],
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Indices:
    """Return an order of the points of a code with a large value of an objective, found by random exchanges.

    The search starts from the order with the largest value among `starts` and 1,500 random orders. It then exchanges
    the points of two random classes 30,000 times, and undoes an exchange that decreases the value of the objective.

    Args:
        objective: The function to maximize. Its arguments are the similarity of the classes and the cosines of their
            points, both K x K in the order of the classes.
        similarity: K x K similarity of the classes.
        cosines: K x K cosines of the points, in the original order of the code.
        starts: Orders from which the search may start. In each of them, class i gets point order[i].
        rng: Random generator for the random orders and the exchanges.
        progress: Function that is called after every thousand exchanges with a text, the number of exchanges so far,
            and the number of all exchanges.

    Returns:
        The order with the largest value that was found: class i gets point order[i].
    """
    K = len(similarity)
    random_orders = [rng.permutation(K) for _ in range(NUM_RANDOM_ORDERS)]
    best = -np.inf
    order = np.arange(K)
    for candidate in [*starts, *random_orders]:
        placed = cosines[np.ix_(candidate, candidate)]
        value = value_of(objective, similarity, placed)
        if value > best:
            best = value
            order = candidate.copy()
    placed = np.ascontiguousarray(cosines[np.ix_(order, order)])
    for step in range(MAX_EXCHANGES):
        pair = rng.choice(K, 2, replace=False)
        swap_classes(placed, order, pair)
        value = value_of(objective, similarity, placed)
        if value >= best:
            best = value
        else:
            swap_classes(placed, order, pair)
        if step % REPORT_EVERY == 0:
            progress("assigning", step, MAX_EXCHANGES)
    return order


def swap_classes(matrix: Points, order: Indices, pair: Indices) -> None:
    """Exchange the points of two classes in place.

    Args:
        matrix: K x K matrix whose entry (u, v) depends on the points of classes u and v, such as their cosine. Two
            rows and two columns are exchanged.
        order: The index of the point of each class. Two entries are exchanged.
        pair: The indices of the two classes.
    """
    swapped = pair[::-1]
    order[pair] = order[swapped]
    matrix[pair] = matrix[swapped]
    matrix[:, pair] = matrix[:, swapped]
