"""Descents over orbits of a symmetry group as compiled loops.

A symmetry group is a group of orthogonal n x n matrices. The orbit of a point consists of its images under all matrices
of the group. A code with a symmetry group is the union of the orbits of m points, which are called representatives.
Orbits are of the same type if the same matrices of the group keep their representatives fixed. Each type has coset
matrices, which are matrices of the group: each point of an orbit is the image of the representative by exactly one of
them. Functions of this module receive the transposed coset matrices of all types in one (S, n, n) array, where S is the
count of these matrices.

The smooth maximum cosine of a code is (1/t) log of the sum of exp(t cos) over ordered pairs of different points. The
number t is called the inverse temperature. To anneal is to minimize this function at one inverse temperature after
another, in ascending order. An evaluation computes the function and its gradient. For a code of K points with a
symmetry group, only the K m cosines between the representatives and all points are needed instead of K^2 cosines, and
the descent has m n variables instead of K n.

Each descent has a meter: an array of three numbers, through which other threads read the cost so far and stop the
descent.
"""

import math

import numpy as np

from protosphere.compiled.decorators import compiled
from protosphere.search.compiled_energy import U, dot, normalize_rows, softmax_weights
from protosphere.search.compiled_lbfgs import (
    ALLOWED,
    CHECK_STEPS,
    CONVERGED,
    MAX_TRIALS,
    MEMORY,
    SPENT,
    STOP,
    backtrack,
    lbfgs_direction,
    new_meters,
    push_pair,
    step_along,
)
from protosphere.types import Indices, Points

OrbitWorkspace = tuple[Points, Points, Points, Points, Points]
"""Five arrays that `orbit_energy` overwrites, for a code of K points in R^n with m representatives.

They are for the (m, n) unit representatives, the (K, n) points, the (n, K) transpose of the points, the (m, K) cosines,
and the (m,) lengths of the representatives before they are normalized.
"""


@compiled
def orbit_points(
    units: Points, matrices: Points, first: Indices, sizes: Indices, points: Points
) -> None:
    """Write the points of all orbits into `points`, orbit after orbit.

    The points of an orbit are the products of its representative with its coset matrices.

    Args:
        units: (m, n) representatives, one for each orbit.
        matrices: (S, n, n) transposed coset matrices. Orbits of the same type share their matrices.
        first: (m,) index in `matrices` of the first coset matrix of each orbit.
        sizes: (m,) counts of the points of each orbit, which are also the counts of its coset matrices.
        points: (K, n) array that receives the points.
    """
    dim = U(units.shape[1])
    row = U(0)
    for i in range(U(units.shape[0])):
        start = U(first[i])
        for a in range(U(sizes[i])):
            for c in range(dim):
                points[row, c] = 0.0
            for k in range(dim):
                x = units[i, k]
                for c in range(dim):
                    points[row, c] += x * matrices[start + a, k, c]
            row += U(1)


@compiled
def orbit_cosines(
    units: Points, columns: Points, sizes: Indices, table: Points
) -> float:
    """Write the cosines between the representatives and all points into `table`, and return the maximum cosine.

    The representative of an orbit is its first point.

    Args:
        units: (m, n) unit representatives, one for each orbit. n is a multiple of four.
        columns: (n, K) coordinates of all points, one point per column, orbit after orbit.
        sizes: (m,) counts of the points of each orbit.
        table: (m, K) array that receives the cosines. The entry of a representative with itself is set to -2.

    Returns:
        The largest cosine of two different points.
    """
    count = U(columns.shape[1])
    top = -2.0
    own = U(0)
    for i in range(U(units.shape[0])):
        for j in range(count):
            table[i, j] = 0.0
        for k in range(U(0), U(units.shape[1]), U(4)):
            a = units[i, k]
            b = units[i, k + U(1)]
            c = units[i, k + U(2)]
            d = units[i, k + U(3)]
            for j in range(count):
                table[i, j] += (a * columns[k, j] + b * columns[k + U(1), j]) + (
                    c * columns[k + U(2), j] + d * columns[k + U(3), j]
                )
        table[i, own] = -2.0
        own += U(sizes[i])
        for j in range(count):
            top = max(top, table[i, j])
    return top


@compiled
def weighted_columns(weights: Points, columns: Points, sums: Points) -> None:
    """Write weighted sums of all points into `sums`: row i is the sum over j of `weights[i, j]` times point j.

    Args:
        weights: (m, K) weights.
        columns: (n, K) coordinates of all points, one point per column. n is a multiple of four.
        sums: (m, n) array that receives the sums.
    """
    count = U(columns.shape[1])
    for i in range(U(weights.shape[0])):
        for k in range(U(0), U(columns.shape[0]), U(4)):
            a = b = c = d = 0.0
            for j in range(count):
                a += weights[i, j] * columns[k, j]
                b += weights[i, j] * columns[k + U(1), j]
                c += weights[i, j] * columns[k + U(2), j]
                d += weights[i, j] * columns[k + U(3), j]
            sums[i, k] = a
            sums[i, k + U(1)] = b
            sums[i, k + U(2)] = c
            sums[i, k + U(3)] = d


@compiled
def orbit_energy(
    variables: Points,
    t: float,
    matrices: Points,
    first: Indices,
    sizes: Indices,
    workspace: OrbitWorkspace,
    gradient: Points,
) -> float:
    """Compute the smooth maximum cosine of a code with a symmetry group, and its gradient.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cos) over ordered pairs of different points.

    Args:
        variables: (m, n) representatives of any length, one for each orbit. n is a multiple of four.
        t: The inverse temperature, above 0.
        matrices: (S, n, n) transposed coset matrices, which map a representative to the points of its orbit. Orbits of
            the same type share their matrices.
        first: (m,) index in `matrices` of the first coset matrix of each orbit.
        sizes: (m,) counts of the points of each orbit, which are also the counts of its coset matrices.
        workspace: Five arrays that are overwritten: the (m, n) unit representatives, the (K, n) points, the transpose
            of the points, the (m, K) cosines, and the (m,) lengths of the representatives.
        gradient: (m, n) array that receives the gradient with respect to `variables`.

    Returns:
        The smooth maximum cosine.
    """
    units, points, columns, table, lengths = workspace
    normalize_rows(variables, units, lengths)
    orbit_points(units, matrices, first, sizes, points)
    count = U(points.shape[0])
    dim = U(points.shape[1])
    for k in range(dim):
        for j in range(count):
            columns[k, j] = points[j, k]
    top = orbit_cosines(units, columns, sizes, table)
    total = 0.0
    own = U(0)
    for i in range(U(units.shape[0])):
        row_sum = softmax_weights(table[i], t, top) - table[i, own]
        table[i, own] = 0.0
        own += U(sizes[i])
        total += sizes[i] * row_sum
    weighted_columns(table, columns, gradient)
    for i in range(U(units.shape[0])):
        radial = dot(gradient[i], units[i])
        scale = 2.0 * sizes[i] / (total * lengths[i])
        for k in range(dim):
            gradient[i, k] = scale * (gradient[i, k] - radial * units[i, k])
    return top + math.log(total) / t


@compiled
def orbit_lbfgs(
    start: Points,
    t: float,
    most: int,
    orbits: tuple[Points, Indices, Indices],
    work: float,
    meter: Points,
    allowed: float,
) -> Points:
    """Minimize the smooth maximum cosine of a symmetric code over its representatives, at one inverse temperature.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cos) over ordered pairs of different points. The
    minimization by L-BFGS makes at least one evaluation of this function and its gradient. It ends at convergence, when
    the limit `most` or `allowed` is reached, or when another thread sets the stop flag in `meter` to a nonzero number.

    Args:
        start: (m, n) initial representatives, one for each orbit. n is a multiple of four.
        t: The inverse temperature, above 0.
        most: Maximum number of evaluations in this call.
        orbits: Three arrays: the (S, n, n) transposed coset matrices, which map a representative to the points of its
            orbit; the (m,) index of the first coset matrix of each orbit; and the (m,) counts of the points of each
            orbit, which are also the counts of its coset matrices.
        work: Cost of one evaluation, which is added to entry 1 of `meter` after each evaluation.
        meter: Array of three numbers. Entry 0 is the stop flag. Entry 1 is the cost of all evaluations so far,
            including those before this call. Entry 2 is not used.
        allowed: The minimization ends when entry 1 of `meter` reaches this cost.

    Returns:
        (m, n) unit representatives.
    """
    matrices, first, sizes = orbits
    shape = start.shape
    size = start.size
    count = sizes.sum()
    variables = np.empty(size)
    trial = start.copy().reshape(size)
    direction = np.zeros(size)
    gradient = np.empty(size)
    ahead = np.empty(size)
    s = np.empty((MEMORY, size))
    y = np.empty((MEMORY, size))
    rho = np.empty(MEMORY)
    units = np.empty(shape)
    lengths = np.empty(shape[0])
    workspace = (
        units,
        np.empty((count, shape[1])),
        np.empty((shape[1], count)),
        np.empty((shape[0], count)),
        lengths,
    )
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
        reached = orbit_energy(
            trial.reshape(shape),
            t,
            matrices,
            first,
            sizes,
            workspace,
            ahead.reshape(shape),
        )
        evaluations += 1
        meter[SPENT] += work
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
        slope = lbfgs_direction(gradient, s, y, rho, steps, direction)
        if slope > -1e-30:
            break
        length = 1.0 if steps > 0 else min(1.0, 0.3 / (t * math.sqrt(-slope)))
        trials = 0
        step_along(variables, length, direction, trial)
    normalize_rows(variables.reshape(shape), units, lengths)
    return units


@compiled
def _anneal_orbits(
    start: Points,
    t: float,
    last: float,
    factor: float,
    most: int,
    orbits: tuple[Points, Indices, Indices],
    work: float,
    meter: Points,
) -> Points:
    units = start.copy()
    while True:
        stages = 1 + max(0.0, math.ceil(math.log(last / t) / math.log(factor) - 1e-9))
        allowed = meter[SPENT] + (meter[ALLOWED] - meter[SPENT]) / stages
        units = orbit_lbfgs(units, t, most, orbits, work, meter, allowed)
        if t >= last or meter[STOP] != 0 or meter[SPENT] >= meter[ALLOWED]:
            points = np.empty((orbits[2].sum(), start.shape[1]))
            orbit_points(units, orbits[0], orbits[1], orbits[2], points)
            return points
        t = min(t * factor, last)


ORBIT_PAIR_COST = 2.0
"""Cost of one pair of a representative and a point in a descent over representatives.

The unit is the cost of one ordered pair of points in a descent over all points of a code.
"""

MATRIX_COST = 0.5
"""Cost of an entry of a coset matrix in each step of a descent over representatives, in multiplications.

A multiplication is counted at its cost in a descent over all points of a code.
"""

EVALUATION_PRODUCTS = 2e4
"""Cost of one step of a descent in addition to the costs of pairs and of coset matrices, in multiplications.

A multiplication is counted at its cost in a descent over all points of a code.
"""


def orbit_products(count: int, num_points: int, dim: int) -> float:
    """Return the approximate number of multiplications of one step of a descent over the representatives of orbits.

    A step computes the smooth maximum cosine and its gradient, and then moves the representatives. The number can be
    compared with the result of `budget.evaluation_products`, which is for a descent over all points of a code.

    Args:
        count: Number m of representatives.
        num_points: Number K of points of the code.
        dim: Dimension n.
    """
    pairs = ORBIT_PAIR_COST * count * num_points * (dim + 14)
    images = MATRIX_COST * num_points * dim**2
    return pairs + images + EVALUATION_PRODUCTS


def anneal_orbits(
    start: Points,
    cosets: tuple[Points, ...],
    counts: tuple[int, ...],
    t: float,
    last: float,
    factor: float,
    most: int,
    work: float,
    meter: Points | None = None,
) -> Points:
    """Anneal a symmetric code: minimize its smooth maximum cosine at one inverse temperature after another.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cos) over ordered pairs of different points, where t is
    the inverse temperature. L-BFGS minimizes it over the representatives. The first inverse temperature is `t`. Each
    further one is `factor` times the previous one, but at most `last`.

    Args:
        start: (m, n) initial representatives, one for each orbit, ordered by the type of their orbit. Each type belongs
            to a subgroup of the symmetry group, its stabilizer, which must keep the representative fixed.
        cosets: For each type of orbits, the (size, n, n) coset matrices, the identity first. The products of a
            representative with the coset matrices of its type are the points of its orbit.
        counts: For each type, the count of orbits.
        t: First inverse temperature, above 0.
        last: Last inverse temperature, at which the descent ends.
        factor: Factor from one inverse temperature to the next, above 1.
        most: Maximum number of evaluations at each inverse temperature.
        work: Cost of one evaluation, in the unit of `meter`.
        meter: Array of three numbers: a stop flag, which ends the descent if it is not 0, the cost so far, and the
            largest allowed cost. The unit is the cost of one evaluation over all pairs of points. None means that there
            is no limit and no stop flag.

    Returns:
        The (K, n) unit points of the code, orbit after orbit.
    """
    count, dim = start.shape
    padded_dim = (dim + 3) // 4 * 4
    rows = np.zeros((count, padded_dim))
    rows[:, :dim] = start
    used = np.concatenate(cosets)
    matrices = np.zeros((len(used), padded_dim, padded_dim))
    matrices[:, :dim, :dim] = used.transpose(0, 2, 1)
    type_sizes = np.array([len(matrix) for matrix in cosets], dtype=np.int64)
    type_starts = np.cumsum(type_sizes) - type_sizes
    orbits = (
        matrices,
        np.repeat(type_starts, counts),
        np.repeat(type_sizes, counts),
    )
    used_meter = new_meters(1)[0] if meter is None else meter
    points = _anneal_orbits(
        rows, float(t), float(last), float(factor), int(most), orbits, work, used_meter
    )
    return points[:, :dim].copy()
