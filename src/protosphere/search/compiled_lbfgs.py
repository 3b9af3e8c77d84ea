"""A whole descent as a compiled loop: L-BFGS on the smooth maximum cosine, at one temperature after another.

For small codes, most of the cost of a descent by tensor operations would be the overhead of these operations;
`benchmarks/optimizer.py` measures the ratio. Several threads run descents in parallel. Temperatures in this module are
inverse temperatures: the cosines are multiplied by them, and they rise during a descent. The smooth maximum cosine at
inverse temperature t is (1/t) log of the sum of exp(t cosine) over all pairs of points. An evaluation computes this
number and its gradient.

A step adds a length times a direction to the variables. The memory of L-BFGS has the last 8 steps, and for each of them
the change of the gradient by the step. The slope is the derivative of the function along the direction.

Each descent has a meter: an array of three numbers, through which other threads read the work done and stop the
descent. Near pairs are pairs of points whose terms in the smooth maximum cosine are not negligible.
"""

import math

import numpy as np

from protosphere.compiled.decorators import compiled
from protosphere.errors import InvalidArgumentError
from protosphere.search.compiled_energy import (
    SLACK,
    add,
    dot,
    near_pairs,
    normalize_rows,
    smooth_max_cosine_gradient,
)
from protosphere.types import Points

MEMORY = 8
"""Number of pairs of a step and a gradient change that L-BFGS remembers."""

CHECK_STEPS = 10
CONVERGED = 1e-3
"""Constant of the test for convergence at inverse temperature t.

A descent has converged at t if CHECK_STEPS steps decrease the smooth maximum cosine by less than CONVERGED / t.
"""

MAX_TRIALS = 10
"""Number of times that a step is shortened before the remembered pairs are discarded."""

UNLIMITED = 1e300

STOP = 0
SPENT = 1
ALLOWED = 2
"""Indices of the entries of a meter: the stop flag, the work done, and the largest work allowed.

A nonzero stop flag ends the descent. The unit of work is an evaluation over all pairs, including the step that follows.
An evaluation over a list of pairs counts as a fraction of this unit.
"""

LISTED_PAIR_COST = 1.7
"""Cost of a pair in a list, relative to the cost of a pair in a loop over all pairs."""

LISTING_COST = 0.5
"""Cost of making a list of near pairs, relative to the cost of an evaluation over all pairs without its step."""

STEP_COST = 20.0
"""Cost of a step, in evaluated pairs per point."""


@compiled
def lbfgs_direction(
    gradient: Points, s: Points, y: Points, rho: Points, steps: int, out: Points
) -> float:
    """Compute the direction of the next L-BFGS step by the two-loop recursion (Nocedal and Wright 2006, algorithm 7.4).

    Args:
        gradient: (N,) gradient with respect to the N variables.
        s: (MEMORY, N) remembered steps; `MEMORY` is 8.
        y: (MEMORY, N) remembered changes of the gradient, one for each step.
        rho: For each remembered step, 1 divided by the inner product of the step and the change of the gradient by this
            step.
        steps: Count of the steps that were stored since the memory was last empty. The last `MEMORY` of these steps are
            remembered.
        out: (N,) array that receives the direction.

    Returns:
        The inner product of gradient and direction, which is the slope of the minimized function along the direction.
    """
    memory = min(steps, MEMORY)
    alpha = np.empty(MEMORY)
    for k in range(len(out)):
        out[k] = -gradient[k]
    for back in range(memory):
        slot = (steps - 1 - back) % MEMORY
        alpha[slot] = rho[slot] * dot(s[slot], out)
        add(out, -alpha[slot], y[slot])
    if memory > 0:
        slot = (steps - 1) % MEMORY
        add(out, 1 / (rho[slot] * dot(y[slot], y[slot])) - 1, out)
    for forth in range(memory):
        slot = (steps - memory + forth) % MEMORY
        add(out, alpha[slot] - rho[slot] * dot(y[slot], out), s[slot])
    return dot(out, gradient)


@compiled
def push_pair(
    length: float,
    direction: Points,
    old: Points,
    new: Points,
    s: Points,
    y: Points,
    rho: Points,
    steps: int,
) -> int:
    """Store the last step and the change of the gradient in the L-BFGS memory.

    Args:
        length: Factor by which `direction` is multiplied to give the step.
        direction: (N,) direction of the step, for N variables.
        old: Gradient before the step.
        new: Gradient after the step.
        s: (MEMORY, N) remembered steps; `MEMORY` is 8. One row is overwritten.
        y: (MEMORY, N) remembered changes of the gradient, one for each remembered step. One row is overwritten.
        rho: For each remembered step, 1 divided by the inner product of the step and the change of the gradient by this
            step. One entry is overwritten.
        steps: Count of the steps that were stored since the memory was last empty. A negative number means that there
            is no last step, so nothing is stored.

    Returns:
        The new value of `steps`. If `steps` is negative, or if the inner product of the step and the change of the
        gradient is not positive, it is 0, which means that the memory is empty. Otherwise, it is `steps` + 1.
    """
    if steps < 0:
        return 0
    slot = steps % MEMORY
    for k in range(len(direction)):
        s[slot, k] = length * direction[k]
        y[slot, k] = new[k] - old[k]
    curvature = dot(s[slot], y[slot])
    if curvature <= 0:
        return 0
    rho[slot] = 1 / curvature
    return steps + 1


@compiled
def step_along(
    variables: Points, length: float, direction: Points, trial: Points
) -> None:
    """Write `variables` + `length` times `direction` into `trial`.

    Args:
        variables: Current variables.
        length: Factor by which `direction` is multiplied to give the step.
        direction: Direction of the step.
        trial: Array that receives the result.
    """
    for k in range(len(trial)):
        trial[k] = variables[k] + length * direction[k]


@compiled
def max_displacement(units: Points, anchor: Points) -> float:
    """Return the largest distance between row i of `units` and row i of `anchor`, over all i.

    Args:
        units: (K, n) points.
        anchor: (K, n) points, such as earlier positions of the same points.
    """
    largest = 0.0
    for i in range(len(units)):
        square = 0.0
        for k in range(units.shape[1]):
            square += (units[i, k] - anchor[i, k]) ** 2
        largest = max(largest, square)
    return math.sqrt(largest)


@compiled
def backtrack(length: float, slope: float, rise: float) -> float:
    """Return a shorter step length after a rejected step.

    A step length is the factor by which the direction is multiplied to give the step.

    Consider the parabola, as a function of the step length, that has the given slope at length 0 and rises by `rise`
    from length 0 to `length`. The result is the length at which this parabola has its minimum, clipped to the range
    from 0.1 to 0.5 times `length`.

    Args:
        length: Length of the rejected step.
        slope: Slope of the function along the direction at length 0.
        rise: Increase of the function by the rejected step.
    """
    return length * max(0.1, min(0.5, -slope * length / (2 * (rise - slope * length))))


@compiled
def evaluation_work(count: int, listed: int) -> float:
    """Return the cost of one evaluation of the smooth maximum cosine and the optimizer step after it.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cosine) over all pairs of points. The unit is the cost of
    such an evaluation over all pairs, together with the step after it.

    Args:
        count: Number K of points.
        listed: Count of the pairs in the evaluation, if the sum is over a list of pairs with large cosines. 0 means
            that the sum is over all pairs, and then the cost is 1.
    """
    if listed == 0:
        return 1.0
    return (2 * LISTED_PAIR_COST * listed / (count - 1) + STEP_COST) / (
        count + STEP_COST
    )


@compiled
def lbfgs(
    start: Points, t: float, most: int, table: Points, meter: Points, allowed: float
) -> Points:
    """Minimize the smooth maximum cosine of K points at one inverse temperature t.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cosine) over all pairs of points. After at least one
    evaluation, the minimization ends when it has converged, when `most` evaluations are done, when the stop flag in
    `meter` is set, or when the work in `meter` reaches `allowed`.

    Args:
        start: (K, n) initial points, as rows of any norm. n is a multiple of four.
        t: The inverse temperature.
        most: Maximum number of evaluations of the smooth maximum cosine and its gradient.
        table: (K, K) array that is overwritten with intermediate results.
        meter: Array of three numbers. Entry 0 is the stop flag: 0 means to go on, and any other number ends the
            minimization. Entry 1 is the work done, which this function increases. Entry 2 is not used.
        allowed: Limit of the work done (entry 1 of `meter`), which includes earlier work. The unit is an evaluation
            over all pairs of points, together with the step after it.

    Returns:
        (K, n) unit points.
    """
    shape = start.shape
    size = start.size
    variables = np.empty(size)
    trial = start.copy().reshape(size)
    direction = np.zeros(size)
    gradient = np.empty(size)
    ahead = np.empty(size)
    s = np.empty((MEMORY, size))
    y = np.empty((MEMORY, size))
    rho = np.empty(MEMORY)
    units = np.empty(shape)
    columns = np.empty((shape[1], shape[0]))
    lengths = np.empty(shape[0])
    workspace = units, columns, table, lengths
    normalize_rows(start, units, lengths)
    anchor = units.copy()
    pairs = near_pairs(units, columns, table, t)
    listing = LISTING_COST * shape[0] / (shape[0] + STEP_COST)
    meter[SPENT] += listing
    value = checked = np.inf
    slope = 0.0
    length = 0.0
    evaluations = 0
    steps = -1
    since = 0
    trials = 0
    while evaluations < most and (
        evaluations == 0 or (meter[SPENT] < allowed and meter[STOP] == 0)
    ):
        reached = smooth_max_cosine_gradient(
            trial.reshape(shape), t, pairs, workspace, ahead.reshape(shape)
        )
        evaluations += 1
        meter[SPENT] += evaluation_work(shape[0], pairs.shape[1])
        if (
            steps >= 0
            and reached > value + 1e-4 * length * slope
            and trials < MAX_TRIALS
        ):
            length = backtrack(length, slope, reached - value)
            trials = trials + 1
            step_along(variables, length, direction, trial)
            continue
        if reached <= value:
            steps = push_pair(length, direction, gradient, ahead, s, y, rho, steps)
            variables, trial, gradient, ahead, value = (
                trial,
                variables,
                ahead,
                gradient,
                reached,
            )
            since += 1
        elif steps == 0:
            break
        else:
            steps = 0
        if since == CHECK_STEPS:
            if checked - value < CONVERGED / t:
                break
            checked = value
            since = 0
        if pairs.shape[1] > 0 and 2 * max_displacement(units, anchor) > SLACK / t:
            anchor[:] = units
            pairs = near_pairs(units, columns, table, t)
            meter[SPENT] += listing
        slope = lbfgs_direction(gradient, s, y, rho, steps, direction)
        if slope > -1e-30:
            break
        length = 1.0 if steps > 0 else min(1.0, 0.3 / (t * math.sqrt(-slope)))
        trials = 0
        step_along(variables, length, direction, trial)
    normalize_rows(variables.reshape(shape), units, lengths)
    return units


def new_meters(count: int, allowed: float = UNLIMITED) -> Points:
    """Return the meters of several descents that have not begun.

    Through the meter of a descent, other threads read the work done and stop the descent.

    Args:
        count: Number of descents.
        allowed: Largest work that each descent may do, in evaluations over all pairs of points. By default, there is no
            limit.

    Returns:
        A (count, 3) array with one meter per row. A meter consists of the stop flag, which is 0 here; the work done,
        which is 0 here; and the largest work allowed.
    """
    meters = np.zeros((count, 3))
    meters[:, ALLOWED] = min(allowed, UNLIMITED)
    return meters


def compiled_anneal(
    start: Points,
    t: float,
    last: float,
    factor: float,
    most: int,
    meter: Points | None = None,
) -> Points:
    """Minimize the smooth maximum cosine of a code by L-BFGS, at one inverse temperature after another.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cosine) over all pairs of points. Here t is the inverse
    temperature.

    The first inverse temperature is `t`. Each of the others is `factor` times the previous one, but at most `last`.
    Before each temperature, the work that `meter` still allows is divided equally among the remaining temperatures, so
    that even a short descent reaches `last`. Another thread may read the meter, or set its stop flag.

    Args:
        start: (K, n) initial points.
        t: First inverse temperature.
        last: Last inverse temperature.
        factor: Factor from one temperature to the next, above 1.
        most: Maximum number of evaluations of the smooth maximum cosine at each temperature.
        meter: Array of three numbers: a stop flag, which ends the descent if it is not 0; the work done, which is
            updated; and the largest work allowed. The unit of work is an evaluation over all pairs of points. None
            means that there is no limit and no stop flag.

    Returns:
        (K, n) unit points.

    Raises:
        InvalidArgumentError: If `start` is not a matrix of finite numbers, if `t` or `last` is not positive and finite,
            if `factor` is not above 1, or if `most` is below 1.
    """
    rows = np.ascontiguousarray(start, dtype=np.float64)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise InvalidArgumentError(
            f"'start' must be a matrix of finite numbers, got shape {rows.shape} or NaN in it"
        )
    if not (0 < t < math.inf and 0 < last < math.inf and factor > 1 and most >= 1):
        raise InvalidArgumentError(
            f"temperatures must be above 0 and rise, got {t}, {last}, {factor}, {most}"
        )
    used_meter = new_meters(1)[0] if meter is None else meter
    return _anneal(rows, float(t), float(last), float(factor), int(most), used_meter)


def is_compiled() -> bool:
    """Return whether this process has already compiled the loop that `compiled_anneal` runs."""
    return bool(getattr(_anneal, "signatures", ()))


@compiled
def _anneal(
    start: Points, t: float, last: float, factor: float, most: int, meter: Points
) -> Points:
    count, dim = start.shape
    points = np.zeros((count, (dim + 3) // 4 * 4))  # rows of whole vector registers
    points[:, :dim] = start
    table = np.empty((count, count))
    while True:
        stages = 1 + max(0.0, math.ceil(math.log(last / t) / math.log(factor) - 1e-9))
        allowed = meter[SPENT] + (meter[ALLOWED] - meter[SPENT]) / stages
        points = lbfgs(points, t, most, table, meter, allowed)
        if t >= last or meter[STOP] != 0 or meter[SPENT] >= meter[ALLOWED]:
            return points[:, :dim].copy()
        t = min(t * factor, last)
