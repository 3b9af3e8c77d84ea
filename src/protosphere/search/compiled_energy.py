"""The smooth maximum cosine and its gradient as compiled loops, over all pairs or over a list of near pairs.

The smooth maximum cosine is (1/t) log of the sum of exp(t cos) over pairs of different points, each pair once. The
parameter t is called the inverse temperature. Relative to the pair with the maximum cosine, a pair has the weight exp(t
(cos - maximum cosine)). Near pairs are the pairs whose weight is not negligible.

Points are padded with zeros to a multiple of four coordinates, because loops over all pairs process four coordinates at
a time.
"""

import math

import numpy as np

from protosphere.compiled.decorators import compiled
from protosphere.types import Indices, Points

NEGLIGIBLE = 18.0
"""Pairs whose cosine is this much below the maximum, in units of 1/t, have less than 1e-7 of the largest weight."""

NEGLIGIBLE_WEIGHT = float(np.exp(-NEGLIGIBLE))

SLACK = 8.0
"""Additional difference from the maximum cosine, in units of 1/t, so that a list of near pairs holds for some steps."""

MAX_LISTED_SHARE = 0.25
"""Fraction of all pairs up to which a list of pairs is faster than a loop over all pairs."""

U = np.uint64
"""Type of indices; compiled code would check signed indices for negative values."""

Workspace = tuple[Points, Points, Points, Points]
"""Four arrays: the (K, n) unit points, their (n, K) transpose, the (K, K) cosines, and the K norms of the variables."""


@compiled
def dot(a: Points, b: Points) -> float:
    """Return the inner product of two vectors of the same length.

    Args:
        a: The first vector.
        b: The second vector.
    """
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@compiled
def add(a: Points, factor: float, b: Points) -> None:
    """Add `factor` times the vector `b` to the vector `a`, in place.

    Args:
        a: Vector that is changed.
        factor: Number by which `b` is multiplied.
        b: Vector of the same length.
    """
    for k in range(len(a)):
        a[k] += factor * b[k]


@compiled
def normalize_rows(variables: Points, units: Points, lengths: Points) -> None:
    """Write the normalized rows of `variables` into `units`, and the norms of the rows into `lengths`.

    Args:
        variables: (K, n) array of K vectors. Vectors of length zero stay zero.
        units: (K, n) array that receives the unit rows.
        lengths: (K,) array that receives the norms.
    """
    for i in range(len(variables)):
        lengths[i] = math.sqrt(dot(variables[i], variables[i])) + 1e-150
        for k in range(variables.shape[1]):
            units[i, k] = variables[i, k] / lengths[i]


@compiled
def cosine_table(units: Points, columns: Points, table: Points) -> float:
    """Write the cosines of all pairs of points into `table`, and return the maximum cosine.

    Args:
        units: (K, n) unit points. n must be a multiple of four; points of other dimensions must be padded with zeros.
        columns: (n, K) array that receives the transpose of `units`.
        table: (K, K) array that receives the cosines above its diagonal: entry (i, j) for i < j.

    Returns:
        The maximum cosine.
    """
    count = U(units.shape[0])
    dim = U(units.shape[1])
    for k in range(dim):
        for j in range(count):
            columns[k, j] = units[j, k]
    top = -2.0
    for i in range(count):
        for j in range(i + U(1), count):
            table[i, j] = 0.0
        for k in range(U(0), dim, U(4)):
            a = units[i, k]
            b = units[i, k + U(1)]
            c = units[i, k + U(2)]
            d = units[i, k + U(3)]
            for j in range(i + U(1), count):
                table[i, j] += (a * columns[k, j] + b * columns[k + U(1), j]) + (
                    c * columns[k + U(2), j] + d * columns[k + U(3), j]
                )
        for j in range(i + U(1), count):
            top = max(top, table[i, j])
    return top


@compiled
def near_pairs(units: Points, columns: Points, table: Points, t: float) -> Indices:
    """Return the pairs of points that have a weight above exp(-26) in the smooth maximum cosine.

    The weight of a pair is exp(t (cos - maximum cosine)). After each point has moved by up to 4 / t, the cosines of all
    pairs that are not returned are still at least 18 / t below the maximum cosine of the given points.

    Args:
        units: (K, n) unit points. n must be a multiple of four; points of other dimensions must be padded with zeros.
        columns: (n, K) array that is overwritten.
        table: (K, K) array that is overwritten.
        t: The inverse temperature, a positive number.

    Returns:
        A (2, P) array: the indices of the first and of the second point of each of the P pairs. If there are so many of
        these pairs that a loop over all pairs of points is faster, the array is empty (P = 0).
    """
    least = cosine_table(units, columns, table) - (NEGLIGIBLE + SLACK) / t
    count = len(units)
    found = 0
    room = int(MAX_LISTED_SHARE * count * count / 2)
    pairs = np.empty((2, room), np.int64)
    for i in range(count):
        for j in range(i + 1, count):
            if table[i, j] > least:
                if found == room:
                    return np.empty((2, 0), np.int64)
                pairs[0, found] = i
                pairs[1, found] = j
                found += 1
    return pairs[:, :found].copy()


@compiled
def softmax_weights(row: Points, t: float, top: float) -> float:
    """Replace each cosine of `row` by its weight exp(t (cosine - top)), and return the sum of the weights.

    Args:
        row: Cosines of pairs of points, which are overwritten by the weights. A weight that would be below exp(-30) is
            set to exp(-30).
        t: The inverse temperature, a positive number.
        top: The maximum cosine over all pairs. A pair with this cosine gets the weight 1.
    """
    total = 0.0
    for j in range(len(row)):
        # A polynomial of x/256, squared eight times, is exact to 1e-8. Unlike exp it compiles to vector instructions.
        x = max(t * (row[j] - top), -30.0) / 256.0
        row[j] = (
            1
            + x
            * (1 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120 + x / 720)))))
        ) ** 256
        total += row[j]
    return total


@compiled
def _sum_over_all_pairs(
    units: Points, columns: Points, table: Points, t: float, gradient: Points
) -> tuple[float, float]:
    # Row i of `gradient` becomes the sum of all other points j, each multiplied by the weight of the pair (i, j).
    # The results are the maximum cosine and the sum of the weights of all pairs (i, j) with i < j.
    count = U(units.shape[0])
    dim = U(units.shape[1])
    top = cosine_table(units, columns, table)
    total = 0.0
    for i in range(count):
        table[i, i] = 0.0
        total += softmax_weights(table[i, i + U(1) :], t, top)
        for j in range(i):
            table[i, j] = table[j, i]
    for i in range(count):
        for k in range(U(0), dim, U(4)):
            a = b = c = d = 0.0
            for j in range(count):
                a += table[i, j] * columns[k, j]
                b += table[i, j] * columns[k + U(1), j]
                c += table[i, j] * columns[k + U(2), j]
                d += table[i, j] * columns[k + U(3), j]
            (
                gradient[i, k],
                gradient[i, k + U(1)],
                gradient[i, k + U(2)],
                gradient[i, k + U(3)],
            ) = a, b, c, d
    return top, total


@compiled
def _sum_over_near_pairs(
    units: Points, pairs: Indices, t: float, gradient: Points
) -> tuple[float, float]:
    # As above, but only with the given pairs; the maximum cosine is also over these pairs.
    count = U(pairs.shape[1])
    dim = U(units.shape[1])
    top = -2.0
    weights = np.empty(count)
    for p in range(count):
        i = U(pairs[0, p])
        j = U(pairs[1, p])
        cosine = 0.0
        for k in range(dim):
            cosine += units[i, k] * units[j, k]
        weights[p] = cosine
        top = max(top, cosine)
    total = softmax_weights(weights, t, top)
    gradient[:] = 0.0
    for p in range(count):
        weight = weights[p]
        if weight > NEGLIGIBLE_WEIGHT:
            i = U(pairs[0, p])
            j = U(pairs[1, p])
            for k in range(dim):
                gradient[i, k] += weight * units[j, k]
            for k in range(dim):
                gradient[j, k] += weight * units[i, k]
    return top, total


@compiled
def smooth_max_cosine_gradient(
    variables: Points, t: float, pairs: Indices, workspace: Workspace, gradient: Points
) -> float:
    """Return the smooth maximum cosine, and write its gradient into `gradient`.

    The smooth maximum cosine is (1/t) log of the sum of exp(t cosine) over pairs of different points, each pair once.

    Args:
        variables: (K, n) array of K vectors of any length above 0. The points are the normalized vectors. n is a
            multiple of four.
        t: The inverse temperature, a positive number.
        pairs: (2, P) array of the indices of the two points of each pair in the sum. If P is 0, the sum is over all
            pairs.
        workspace: Four arrays that are overwritten, with the shapes (K, n), (n, K), (K, K) and (K,). Afterward, the
            first array has the unit points.
        gradient: (K, n) array that receives the gradient with respect to `variables`.

    Returns:
        The smooth maximum cosine.
    """
    units, columns, table, lengths = workspace
    normalize_rows(variables, units, lengths)
    if pairs.shape[1] > 0:
        top, total = _sum_over_near_pairs(units, pairs, t, gradient)
    else:
        top, total = _sum_over_all_pairs(units, columns, table, t, gradient)
    for i in range(len(units)):
        radial = dot(gradient[i], units[i])
        for k in range(units.shape[1]):
            gradient[i, k] = (gradient[i, k] - radial * units[i, k]) / (
                total * lengths[i]
            )
    return top + math.log(total) / t
