"""A whole descent compiled: L-BFGS on the smooth largest cosine, temperature after temperature.

Compiled because the overhead of small tensor operations is most of the cost of a small code: `benchmarks/optimizer.py`
has the ratios. Threads descend side by side.
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
    normalise_rows,
    smooth_max_cosine_gradient,
)
from protosphere.types import Points

MEMORY = 8
"""Pairs of differences that L-BFGS remembers."""

CHECK, SETTLED = 10, 1e-3
"""A start has settled at temperature t once CHECK steps gain less than SETTLED/t."""

TRIALS = 10
"""How often a step is shortened before the pairs are forgotten."""

UNLIMITED = 1e300

STOP, SPENT, ALLOWED = 0, 1, 2
"""Places of a meter: not 0 to end a descent at once, the work it has done, and the most it may do.

The unit of work is an evaluation over all pairs, with the step that follows; one over a list counts for its share."""

LISTED_PAIR = 1.7  # what a listed pair costs beside one of all in order
LISTING = 0.5  # what making the list costs a pair
STEP = 20.0  # what a step costs, in pairs a point


@compiled
def lbfgs_direction(
    gradient: Points, s: Points, y: Points, rho: Points, steps: int, out: Points
) -> float:
    """Minus the inverse Hessian that the remembered differences suggest, times the gradient; its slope.

    The two-loop recursion (Nocedal and Wright 2006, algorithm 7.4): s are steps, y the changes of the gradient.
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
    """Remember the step and the change of the gradient; how many pairs there are, 0 if curvature is not positive."""
    if steps < 0:  # there is no step yet
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
    """Write `variables` + `length` times `direction` into `trial`."""
    for k in range(len(trial)):
        trial[k] = variables[k] + length * direction[k]


@compiled
def max_displacement(units: Points, anchor: Points) -> float:
    """The largest distance between a point and its place in `anchor`."""
    largest = 0.0
    for i in range(len(units)):
        square = 0.0
        for k in range(units.shape[1]):
            square += (units[i, k] - anchor[i, k]) ** 2
        largest = max(largest, square)
    return math.sqrt(largest)


@compiled
def backtrack(length: float, slope: float, rise: float) -> float:
    """The length at which the parabola through the values is least, kept between a tenth and half of this one."""
    return length * max(0.1, min(0.5, -slope * length / (2 * (rise - slope * length))))


@compiled
def evaluation_work(count: int, listed: int) -> float:
    """Of an evaluation of `count` points over so many listed pairs, or over all (0), and of the step that follows."""
    if listed == 0:
        return 1.0
    return (2 * LISTED_PAIR * listed / (count - 1) + STEP) / (count + STEP)


@compiled
def lbfgs(
    start: Points, t: float, most: int, table: Points, meter: Points, allowed: float
) -> Points:
    """L-BFGS at one temperature: about `most` evaluations, fewer once it has settled or done the work allowed."""
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
    work = units, columns, table, lengths
    normalise_rows(start, units, lengths)
    anchor = units.copy()
    pairs = near_pairs(units, columns, table, t)
    listing = LISTING * shape[0] / (shape[0] + STEP)
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
            trial.reshape(shape), t, pairs, work, ahead.reshape(shape)
        )
        evaluations += 1
        meter[SPENT] += evaluation_work(shape[0], pairs.shape[1])
        if steps >= 0 and reached > value + 1e-4 * length * slope and trials < TRIALS:
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
        if since == CHECK:
            if checked - value < SETTLED / t:
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
    normalise_rows(variables.reshape(shape), units, lengths)
    return units


def new_meters(count: int, allowed: float = UNLIMITED) -> Points:
    """A meter a row, each allowing so much work."""
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
    """`start` after L-BFGS at temperature t, then `factor` times that and so on up to `last`.

    What is left of the work that `meter` allows is shared among the temperatures to come, so that a short descent sees
    all of them. Another thread may read it, or end the descent by it.
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
    return _anneal(
        rows,
        float(t),
        float(last),
        float(factor),
        int(most),
        new_meters(1)[0] if meter is None else meter,
    )


def is_compiled() -> bool:
    """Whether this process has the machine code of a descent."""
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
        points = lbfgs(
            points,
            t,
            most,
            table,
            meter,
            meter[SPENT] + (meter[ALLOWED] - meter[SPENT]) / stages,
        )
        if t >= last or meter[STOP] != 0 or meter[SPENT] >= meter[ALLOWED]:
            return points[:, :dim].copy()
        t = min(t * factor, last)
