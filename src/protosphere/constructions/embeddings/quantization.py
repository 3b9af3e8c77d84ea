"""Product and residual quantization of unit vectors: a vector becomes one byte for each part and each codebook.

The vectors are multiplied by a random orthogonal matrix. Then their coordinates are divided into two ranges:

- The first coordinates are divided into parts of equal width. In each part, a vector is replaced by the nearest of up
  to 256 values, which k-means learns (Jegou, Douze and Schmid, Product quantization for nearest neighbor search, 2011).
  There are enough parts for every vector to have its own combination of values, which keeps all points apart.
- The other coordinates of a vector are replaced by a sum of codewords, one from each codebook. Each codebook is learned
  from the residuals: the differences between the vectors and the sums of their codewords from the earlier codebooks
  (Chen, Guan and Wang, Approximate nearest neighbor search by residual vector quantization, 2010). The sum is then
  scaled so that the whole point has norm 1.

For classes that differ in several independent ways, sums of codewords approximate the vectors better than values of
parts do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.constructions.embeddings.own_combinations import with_own_combinations
from protosphere.constructions.embeddings.spreading import spread_in_space
from protosphere.errors import InfeasibleError
from protosphere.geometry.closest_classes import Values
from protosphere.spherical.structures.quantized import QuantizedPoints
from protosphere.types import Indices, Points, Progress

Units = NDArray[np.floating[Any]]

MOST_VALUES = 256
"""Largest number of values of a part and of codewords of a codebook: an index takes one byte."""

SPARE_COMBINATIONS = 256
"""Number of combinations per class for which two classes rarely have the same combination by chance."""

SAMPLES = 1 << 16
"""Number of vectors from which values and codewords are learned."""

ITERATIONS = 12

BLOCK_ROWS = 1 << 14
"""Number of vectors whose nearest values are found together."""

LEAST_NORM = 1e-6
"""Norm of some coordinates of a unit vector below which they have no direction."""

SHARE_OF_SPACING = 0.5
"""Default minimum distance of values of a part, relative to the spacing of the same number of points in a ball."""

MOST_HALVINGS = 20
"""Number of times that the default distance is halved if the values do not reach it."""

LARGEST_PRODUCT = 0.98
SCALED_PRODUCT = 0.97
"""Largest squared norm of the coordinates of the parts of a point, and the value to which larger ones are scaled.

The rest of the squared norm is left to the codewords.
"""

MOST_SCALINGS = 30
"""Number of times that values are scaled and moved apart again until both norms and distances are as required."""


def num_product_parts(num_classes: int, num_parts: int) -> int:
    """Return the number of parts of points that are stored in `num_parts` bytes.

    A point has one byte for each part, which selects one of up to 256 values, and one byte for each codebook. The
    result is the smallest number of parts with at least 256 combinations of values per class. If there are not enough
    bytes for this number, all bytes but one belong to parts.

    Args:
        num_classes: Number K of classes.
        num_parts: Number of parts plus the number of codebooks, at least 2.

    Raises:
        InfeasibleError: If there are too few combinations for the classes, or `num_parts` is below 2.
    """
    num_values = min(MOST_VALUES, num_classes)
    needed = num_classes if num_classes <= MOST_VALUES else 2 * num_classes
    count = 1
    while (
        count < num_parts - 1 and num_values**count < SPARE_COMBINATIONS * num_classes
    ):
        count += 1
    if num_parts < 2 or num_values**count < needed:
        more = 2
        while num_values ** (more - 1) < needed:
            more += 1
        raise InfeasibleError(
            f"'parts' needs combinations for {num_classes} classes, got {num_parts} of {num_values} values each; "
            f"more parts work, such as {more}"
        )
    return count


def quantized(
    units: Units,
    num_parts: int,
    least_distance: float | None,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[QuantizedPoints, float]:
    """Quantize vectors after a random rotation, so that no two points have the same values in all parts.

    The first coordinates of a vector are divided into parts. In each part, the coordinates are replaced by the nearest
    of up to 256 values. The other coordinates of the vector are replaced by a sum of codewords, one from each codebook.
    This sum is scaled so that the norm of the point is 1. K-means learns the values and the codewords.

    Args:
        units: K x n matrix of unit vectors, as rows. The function overwrites it with the rotated vectors.
        num_parts: Number of parts and codebooks together, at most n / 2.
        least_distance: Smallest distance between two values of a part. If it is None, a default distance is used, which
            is halved until it can be reached.
        rng: Random generator of the rotation and of k-means.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.

    Returns:
        The quantized points, which approximate the rotated vectors, and the mean cosine between a rotated vector and
        its point.

    Raises:
        InfeasibleError: If there are too few parts for K classes, or the distance cannot be reached.
    """
    K, n = units.shape
    separate = num_product_parts(K, num_parts)
    rotate(units, rng)
    width = n // num_parts
    first = separate * width
    chosen = np.sort(rng.permutation(K)[:SAMPLES])
    count = min(MOST_VALUES, K)
    values = np.empty((K, num_parts), dtype=np.min_scalar_type(count - 1))
    parts: list[Points] = []
    for part in range(separate):
        own = np.ascontiguousarray(units[:, part * width : (part + 1) * width])
        centers = learned_values(own[chosen], count, rng).astype(np.float64)
        centers = _with_distance(centers, least_distance, rng)
        values[:, part] = nearest_values(own, centers.astype(units.dtype))
        parts.append(centers)
        progress("quantizing", part + 1, num_parts)
    values[:, :separate] = with_own_combinations(values[:, :separate], parts)
    parts = _with_limited_norms(parts, values, least_distance, rng)
    rest = _directions(units[:, first:])
    codebooks = np.empty((num_parts - separate, count, n - first))
    for number in range(len(codebooks)):
        codewords = learned_values(rest[chosen], count, rng)
        nearest = nearest_values(rest, codewords)
        _subtract(rest, codewords, nearest)
        codebooks[number] = codewords
        values[:, separate + number] = nearest
        progress("quantizing", separate + number + 1, num_parts)
    found = QuantizedPoints(tuple(parts), codebooks, values, n)
    return found, mean_cosine(units, found)


def rotate(units: Units, rng: np.random.Generator) -> None:
    """Multiply vectors by a random orthogonal matrix, in place.

    Afterward all coordinates have about the same variance.

    Args:
        units: K x n matrix, one vector per row. The function overwrites it.
        rng: Random generator of the matrix.
    """
    n = units.shape[1]
    triangular = np.linalg.qr(rng.standard_normal((n, n)))[0]
    rotation = triangular.astype(units.dtype)
    for start in range(0, len(units), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        units[rows] = units[rows] @ rotation


def learned_values(rows: Units, count: int, rng: np.random.Generator) -> Units:
    """Return cluster centers, computed by k-means.

    Args:
        rows: Vectors to cluster, as rows.
        count: Number of clusters.
        rng: Random generator. It chooses the rows that are the first centers, and the rows that replace the centers of
            empty clusters.

    Returns:
        Matrix with `count` rows, one center per row.
    """
    centers = rows[rng.choice(len(rows), count, replace=len(rows) < count)].copy()
    for _ in range(ITERATIONS):
        nearest = nearest_values(rows, centers)
        sums = np.empty(centers.shape)
        for number, column in enumerate(rows.T):
            sums[:, number] = np.bincount(nearest, column, minlength=count)
        sizes = np.bincount(nearest, minlength=count)
        centers = (sums / np.maximum(sizes, 1)[:, None]).astype(rows.dtype)
        empty = np.flatnonzero(sizes == 0)
        centers[empty] = rows[rng.integers(0, len(rows), len(empty))]
    return centers


def nearest_values(rows: Units, centers: Units) -> Indices:
    """Return, for each row of `rows`, the index of the nearest row of `centers`.

    Args:
        rows: K x n matrix, one vector per row.
        centers: Matrix with n columns, one center per row.
    """
    halves = np.einsum("ij,ij->i", centers, centers) / 2
    found = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        products = rows[block] @ centers.T
        products -= halves
        found[block] = np.argmax(products, axis=1)
    return found


def _with_distance(
    centers: Points, distance: float | None, rng: np.random.Generator
) -> Points:
    if distance is not None:
        found = spread_in_space(centers, distance, rng)
        if found is None:
            raise InfeasibleError(
                f"'min_angle' is not reached by {len(centers)} values in the {centers.shape[1]} dimensions of a part; "
                "a smaller angle or fewer parts work"
            )
        return found
    # the default distance is halved until it can be reached
    count, width = centers.shape
    size = float(np.sqrt(np.square(centers).sum(axis=1).mean()))
    largest = SHARE_OF_SPACING * max(size, LEAST_NORM) * count ** (-1 / width)
    for halvings in range(MOST_HALVINGS):
        found = spread_in_space(centers, largest / 2**halvings, rng)
        if found is not None:
            return found
    raise InfeasibleError(
        f"'vectors' have {count} values of a part that cannot be moved apart; fewer parts work"
    )


def _with_limited_norms(
    parts: list[Points],
    values: Values,
    distance: float | None,
    rng: np.random.Generator,
) -> list[Points]:
    # all parts are scaled by the same factor; the codewords need the rest of the squared norm 1 of a point
    for _ in range(MOST_SCALINGS):
        largest = _largest_squared_norm(parts, values)
        if largest <= LARGEST_PRODUCT:
            return parts
        factor = np.sqrt(SCALED_PRODUCT / largest)
        parts = [factor * points for points in parts]
        if distance is not None:
            # scaling may have moved values too close together
            parts = [_with_distance(points, distance, rng) for points in parts]
    raise InfeasibleError(
        f"'min_angle' is not reached by {len(values)} classes with {len(parts)} separate parts; "
        "a smaller angle or a larger dim works"
    )


def _largest_squared_norm(parts: list[Points], values: Values) -> float:
    squares = np.zeros(len(values))
    for part, points in enumerate(parts):
        squares += np.square(points).sum(axis=1)[values[:, part]]
    return float(squares.max())


def _directions(rows: Units) -> Units:
    found = np.ascontiguousarray(rows)
    found = found.copy() if found is rows else found
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    # a row near zero has no direction and becomes the first standard basis vector
    lost = norms[:, 0] < LEAST_NORM
    found[lost] = 0
    found[lost, 0] = 1
    norms[lost] = 1
    found /= norms
    return found


def _subtract(rows: Units, centers: Units, nearest: Indices) -> None:
    for start in range(0, len(rows), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        rows[block] -= centers[nearest[block]]


def mean_cosine(units: Units, found: QuantizedPoints) -> float:
    """Return the mean over all rows of `units` of the cosine between the vector and its quantized point.

    Args:
        units: K x n matrix of the unit vectors that were quantized, as rows, after their rotation.
        found: Quantized points. Point i belongs to row i of `units`.
    """
    total = 0.0
    for start in range(0, len(units), BLOCK_ROWS):
        stop = start + BLOCK_ROWS
        total += float(np.sum(units[start:stop] * found.unit_rows(start, stop)))
    return total / len(units)
