"""Product quantization of unit vectors by spherical k-means: each part of a vector has at most 256 values.

The coordinates are divided into parts, and the directions of each part are clustered (Jegou, Douze and Schmid,
Product quantization for nearest neighbor search, 2011). Coordinates are divided so that the parts have balanced
variances (Ge, He, Ke and Sun, Optimized product quantization, 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InfeasibleError
from protosphere.geometry.closest_classes import Values
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices, Points, Progress

Units = NDArray[np.floating[Any]]

MOST_VALUES = 256
"""Largest number of values of a part: an index takes one byte."""

SAMPLES = 1 << 16
"""Number of vectors from which the values of a part are learned."""

ITERATIONS = 12

BLOCK_ROWS = 1 << 14
"""Number of vectors whose nearest values are found together."""

LEAST_NORM = 1e-6
"""Norm of a part, relative to the vector, below which it has no direction."""

MOST_ROUNDS = 100

ORDERLY_ROUNDS = 20
"""Rounds after which changes are random: neighbors of very many equal vectors would go on colliding."""

CHANGE_ROWS = 1 << 11
"""Vectors whose changes are compared together: 64 MB for 16 parts."""


@dataclass(frozen=True, eq=False)
class Quantization:
    """Product quantization of vectors: each part of a vector is one of the values of this part.

    Attributes:
        columns: Indices of the coordinates of each part.
        values: Unit vectors of the values of each part, as rows.
        shares: Share of each part in the squared norm of the vectors.
        numbers: K x P indices of the values.
    """

    columns: list[Indices]
    values: list[Points]
    shares: list[float]
    numbers: Values


def balanced_columns(variances: Points, num_parts: int) -> list[Indices]:
    """Divide coordinates into parts of nearly equal size whose products of variances are about equal.

    Coordinates are taken in descending order of variance; each goes to the part with the smallest product that has
    room.

    Args:
        variances: Variance of each coordinate.
        num_parts: Number of parts.

    Returns:
        The indices of the coordinates of each part.
    """
    dim = len(variances)
    room = np.full(num_parts, dim // num_parts)
    room[: dim % num_parts] += 1
    logarithms = np.log(np.maximum(variances, 1e-300) / max(variances.min(), 1e-300))
    totals = np.zeros(num_parts)
    columns: list[list[int]] = [[] for _ in range(num_parts)]
    for column in np.argsort(-variances, kind="stable").tolist():
        part = int(np.argmin(np.where(room > 0, totals, np.inf)))
        columns[part].append(column)
        totals[part] += logarithms[column] + 1
        room[part] -= 1
    return [np.array(sorted(found), dtype=np.int64) for found in columns]


def learned_values(units: Units, count: int, rng: np.random.Generator) -> Points:
    """Return the `count` cluster centers of spherical k-means as unit rows.

    Args:
        units: Directions to cluster.
        count: Number of clusters.
        rng: Randomness of the start and of clusters that would be empty.
    """
    centers = units[rng.choice(len(units), count, replace=len(units) < count)].copy()
    if len(units) < count:
        centers += 0.1 * rng.standard_normal(centers.shape).astype(centers.dtype)
    for _ in range(ITERATIONS):
        nearest = nearest_values(units, centers)
        sums = np.zeros(centers.shape)
        for number, column in enumerate(units.T):
            sums[:, number] = np.bincount(nearest, column, minlength=count)
        empty = np.linalg.norm(sums, axis=1) < LEAST_NORM
        sums[empty] = units[rng.integers(0, len(units), int(empty.sum()))]
        sums[empty] += 0.1 * rng.standard_normal((int(empty.sum()), units.shape[1]))
        centers = normalized(sums).astype(units.dtype)
    return normalized(centers.astype(np.float64))


def nearest_values(units: Units, centers: Units) -> Indices:
    """Return the index of the nearest center of each row.

    Args:
        units: K x n unit rows.
        centers: Centers, as unit rows.
    """
    found = np.empty(len(units), dtype=np.int64)
    for start in range(0, len(units), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        found[rows] = np.argmax(units[rows] @ centers.T, axis=1)
    return found


def part_directions(units: Units, columns: Indices) -> Units:
    """Return one part of each vector as unit rows; a part that is (nearly) zero points along its first axis.

    Args:
        units: K x n unit rows.
        columns: Indices of the coordinates of the part.
    """
    part = np.ascontiguousarray(units[:, columns])
    norms = np.linalg.norm(part, axis=1, keepdims=True)
    lost = norms[:, 0] < LEAST_NORM
    part[lost] = 0
    part[lost, 0] = 1
    norms[lost] = 1
    part /= norms
    return part


def with_own_combinations(
    numbers: Values,
    units: Units,
    columns: list[Indices],
    values: list[Points],
    shares: list[float],
) -> Values:
    """Return indices of values such that every class has its own combination.

    The first class with a combination keeps it. Each other class with the same combination changes one value: the
    j-th of them tries the change with the j-th smallest loss of cosine to its vector.

    Args:
        numbers: K x P indices of values.
        units: K x n vectors.
        columns: Indices of the coordinates of each part.
        values: Unit vectors of the values of each part.
        shares: Share of each part.
    """
    found = numbers.copy()
    for attempt in range(MOST_ROUNDS):
        repeated, rank = _repeated_rows(found)
        if not len(repeated):
            return found
        limit = sum(map(len, values)) - len(columns)
        place = (rank + attempt) % limit
        if attempt >= ORDERLY_ROUNDS:
            place = np.random.default_rng(attempt).integers(0, limit, len(rank))
        taken = np.empty(len(repeated), dtype=np.int64)
        # rows with similar places together, since a block is sorted up to its largest
        in_order = np.argsort(place, kind="stable")
        for start in range(0, len(repeated), CHANGE_ROWS):
            block = in_order[start : start + CHANGE_ROWS]
            rows = repeated[block]
            losses = _losses(units[rows], found[rows], columns, values, shares)
            taken[block] = _at_place(losses, place[block])
        ends = np.cumsum([len(points) for points in values])
        part = np.searchsorted(ends, taken, side="right")
        first = np.concatenate([[0], ends[:-1]])
        found[repeated, part] = taken - first[part]
    raise InfeasibleError(
        f"'parts' needs combinations for {len(found)} classes, too many of them the same, got {len(columns)} parts; "
        f"more parts work, such as {len(columns) + 1}"
    )


def _at_place(losses: Points, place: Indices) -> Indices:
    """Return, for each row, the column of the entry with rank `place` in ascending order.

    Among equal entries, the first column comes first.
    """
    most = int(place.max()) + 1
    first = np.argpartition(losses, most - 1, axis=1)[:, :most]
    first.sort(axis=1)
    smallest = np.take_along_axis(losses, first, axis=1)
    order = np.argsort(smallest, axis=1, kind="stable")
    chosen = np.take_along_axis(order, place[:, None], axis=1)
    return np.take_along_axis(first, chosen, axis=1)[:, 0]


def _repeated_rows(numbers: Values) -> tuple[Indices, Indices]:
    """Return the indices of rows that equal an earlier row, and the number of earlier equal rows minus one."""
    rows = np.ascontiguousarray(numbers)
    keys = rows.view(f"V{rows.dtype.itemsize * rows.shape[1]}").ravel()
    order = np.argsort(keys, kind="stable")
    new = np.concatenate([[True], keys[order][1:] != keys[order][:-1]])
    starts = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    before = np.arange(len(order)) - starts
    return order[~new], before[~new] - 1


def _losses(
    units: Units,
    numbers: Values,
    columns: list[Indices],
    values: list[Points],
    shares: list[float],
) -> Points:
    """Return the decrease of the cosine by each change of one value, with the columns of all parts side by side.

    For the present value, which is no change, the decrease is infinity.
    """
    found: list[Points] = []
    for part, points in enumerate(values):
        products = units[:, columns[part]].astype(np.float64) @ points.T
        products *= np.sqrt(shares[part])
        own = np.take_along_axis(
            products, numbers[:, part : part + 1].astype(np.int64), axis=1
        )
        losses = own - products
        losses[np.arange(len(units)), numbers[:, part]] = np.inf
        found.append(losses)
    return np.hstack(found)


def mean_cosine(units: Units, quantized: Quantization) -> float:
    """Return the mean cosine between vectors and their combinations of values.

    Args:
        units: K x n unit rows.
        quantized: Their combinations of values.
    """
    total = 0.0
    for part, columns in enumerate(quantized.columns):
        weight = np.sqrt(quantized.shares[part])
        points = (weight * quantized.values[part]).astype(units.dtype)
        for start in range(0, len(units), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            chosen = points[quantized.numbers[rows, part]]
            total += float(np.einsum("ij,ij->", units[rows][:, columns], chosen))
    return total / len(units)


def quantized(
    units: Units,
    num_parts: int,
    num_values: int,
    rng: np.random.Generator,
    progress: Progress,
) -> Quantization:
    """Find parts, their values, and a combination of values for each vector; vectors may share a combination.

    Args:
        units: K x n unit rows.
        num_parts: Number of parts.
        num_values: Number of values of each part.
        rng: Randomness of the clusters.
        progress: Called after each part.
    """
    columns = balanced_columns(units.var(axis=0, dtype=np.float64), num_parts)
    chosen = np.sort(rng.permutation(len(units))[:SAMPLES])
    numbers = np.empty(
        (len(units), num_parts), dtype=np.min_scalar_type(num_values - 1)
    )
    values: list[Points] = []
    shares: list[float] = []
    for part, own in enumerate(columns):
        directions = part_directions(units, own)
        centers = learned_values(directions[chosen], num_values, rng)
        numbers[:, part] = nearest_values(directions, centers.astype(units.dtype))
        values.append(centers)
        sample = units[chosen][:, own].astype(np.float64)
        shares.append(float(np.square(sample).sum() / len(chosen)))
        progress("quantizing parts", part + 1, num_parts)
    total = sum(shares)
    return Quantization(columns, values, [share / total for share in shares], numbers)
