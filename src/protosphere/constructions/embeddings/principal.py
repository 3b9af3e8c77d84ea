"""Principal components of one vector per class, whitened and normalized; no K x K matrix is made.

The principal components are orthogonal directions in which the vectors have the largest variance. Whitening divides the
coordinates along each direction by a power of their standard deviation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Points

Vectors = NDArray[np.floating[Any]]

BLOCK_ROWS = 1 << 14
"""Number of vectors that are converted to float64 together."""

LARGEST_COVARIANCE = 4096
"""Largest dimension of vectors whose covariance matrix is computed. A matrix of this size takes 128 MB."""

SPARE_DIRECTIONS = 16
"""Number of extra random directions used if the covariance matrix is too large to compute."""

POWER_ITERATIONS = 4

LEAST_DEVIATION = 1e-6
"""Standard deviation of a component, relative to the largest, below which it counts as constant."""


@dataclass(frozen=True, eq=False)
class Components:
    """Directions in which vectors vary, in descending order of variance.

    The vectors have d entries, and there are r directions.

    Attributes:
        mean: Mean of the vectors, an array of d numbers.
        directions: d x r matrix, whose orthonormal columns are the directions.
        deviations: Standard deviations of the vectors along the r directions.
    """

    mean: Points
    directions: Points
    deviations: Points


def as_vectors(given: Any) -> Vectors:
    """Return the given vectors, one per class, as a matrix of float32 or float64.

    Args:
        given: Matrix with one vector per row, as a numpy array, a tensor or a list of rows. A float32 matrix stays
            float32, and all other types become float64.

    Raises:
        InvalidArgumentError: If `given` is not a matrix of finite real numbers with at least two rows, or if an entry
            has an absolute value above 1e100.
    """
    array = _as_array(given)
    if array.dtype.kind not in "biuf" or array.ndim != 2 or min(array.shape) < 1:
        kind = f"shape {array.shape} of {array.dtype}"
        raise InvalidArgumentError(
            f"'vectors' must be a matrix of numbers with a row for each class, got {kind}"
        )
    if len(array) < 2:
        raise InvalidArgumentError(
            f"'vectors' must have two rows or more, got {len(array)}"
        )
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    # In one order of memory, so that sums are rounded in the same way whatever the caller's order was.
    vectors = np.ascontiguousarray(array, dtype)
    for start, rows in _blocks(vectors):
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            raise InvalidArgumentError(
                f"'vectors' must be finite, got NaN or infinity in row {row}"
            )
    largest = max(float(np.abs(rows).max()) for _, rows in _blocks(vectors))
    if largest > 1e100:
        raise InvalidArgumentError(
            f"'vectors' must have entries up to 1e100, got {largest:g}; divide by that"
        )
    return vectors


def _as_array(given: Any) -> NDArray[Any]:
    if isinstance(given, list | tuple):
        given = [_tensor_as_array(row) for row in cast("Sequence[Any]", given)]
    given = _tensor_as_array(given)
    try:
        return np.asarray(given)
    except ValueError as error:
        raise InvalidArgumentError(
            "'vectors' must be a matrix of numbers, got rows of different lengths"
        ) from error


def _tensor_as_array(given: Any) -> Any:
    if not hasattr(given, "detach"):
        return given
    if given.is_meta:
        raise InvalidArgumentError(
            "'vectors' must have data, got a tensor on the device 'meta'"
        )
    if str(given.layout) != "torch.strided":
        given = given.to_dense()
    given = given.detach().cpu()
    given = given.double() if given.itemsize < 4 else given
    return given.numpy()


def _blocks(vectors: Vectors) -> Iterator[tuple[int, Points]]:
    for start in range(0, len(vectors), BLOCK_ROWS):
        yield start, vectors[start : start + BLOCK_ROWS].astype(np.float64)


def principal_components(
    vectors: Vectors, most: int, rng: np.random.Generator
) -> Components:
    """Return the directions in which vectors have the largest variance.

    Args:
        vectors: K x d matrix, one vector per row.
        most: Largest number of directions to return. If the vectors vary in fewer directions, only these are returned.
        rng: Random generator. It is used only if d is above 4,096, where the directions are computed by a randomized
            method.

    Returns:
        The mean of the vectors, the directions, and the standard deviations along them.

    Raises:
        InvalidArgumentError: If all vectors are the same.
    """
    mean = np.zeros(vectors.shape[1])
    for _, rows in _blocks(vectors):
        mean += rows.sum(axis=0)
    mean /= len(vectors)
    if vectors.shape[1] <= LARGEST_COVARIANCE:
        variances, directions = np.linalg.eigh(_covariance(vectors, mean))
    else:
        variances, directions = _randomized_eigh(vectors, mean, most, rng)
    order = np.argsort(variances)[::-1][:most]
    deviations = np.sqrt(np.maximum(variances[order], 0))
    scale = float(np.abs(mean).max()) + float(deviations[0])
    if deviations[0] <= LEAST_DEVIATION * LEAST_DEVIATION * scale:
        raise InvalidArgumentError(
            "'vectors' must differ from class to class, got the same vector for all"
        )
    varying = order[deviations > LEAST_DEVIATION * deviations[0]]
    return Components(mean, directions[:, varying], deviations[: len(varying)])


def _covariance(vectors: Vectors, mean: Points) -> Points:
    total = np.zeros((len(mean), len(mean)))
    for _, rows in _blocks(vectors):
        centered = rows - mean
        total += centered.T @ centered
    return total / len(vectors)


def _randomized_eigh(
    vectors: Vectors, mean: Points, most: int, rng: np.random.Generator
) -> tuple[Points, Points]:
    # Subspace iteration does not compute the covariance matrix (Halko, Martinsson and Tropp, 2011). The result has its
    # largest eigenvalues in ascending order. Those beyond the `most` largest are less accurate.
    width = min(most + SPARE_DIRECTIONS, *vectors.shape)
    basis = np.linalg.qr(rng.standard_normal((vectors.shape[1], width)))[0]
    image = np.zeros_like(basis)
    for _ in range(POWER_ITERATIONS):
        image = _covariance_times(vectors, mean, basis)
        basis = np.linalg.qr(image)[0]
    image = _covariance_times(vectors, mean, basis)
    variances, rotation = np.linalg.eigh(basis.T @ image)
    return variances, basis @ rotation


def _covariance_times(vectors: Vectors, mean: Points, basis: Points) -> Points:
    total = np.zeros_like(basis)
    for _, rows in _blocks(vectors):
        centered = rows - mean
        total += centered.T @ (centered @ basis)
    return total / len(vectors)


def directions_of(
    vectors: Vectors, components: Components, whiten: float, rng: np.random.Generator
) -> NDArray[np.float32] | Points:
    """Return the coordinates of vectors along principal components, whitened and normalized.

    Each coordinate is divided by deviation ** whiten, where deviation is the standard deviation of the component. A
    vector that is equal to the mean has no direction, and gets a random one.

    Args:
        vectors: K x d matrix, one vector per row.
        components: The r principal components: the mean, the directions and the standard deviations along them.
        whiten: Power of the standard deviation, from 0 (coordinates are not divided) to 1 (all coordinates get the same
            variance).
        rng: Random generator for vectors that are equal to the mean.

    Returns:
        K x r matrix of unit rows, in the dtype of `vectors`.
    """
    factors = components.directions * components.deviations**-whiten
    found = np.empty((len(vectors), factors.shape[1]), dtype=vectors.dtype)
    for start, rows in _blocks(vectors):
        coordinates = (rows - components.mean) @ factors
        norms = np.linalg.norm(coordinates, axis=1, keepdims=True)
        smallest = LEAST_DEVIATION * float(norms.max())
        lost = np.flatnonzero(norms[:, 0] <= smallest)
        coordinates[lost] = rng.standard_normal((len(lost), factors.shape[1]))
        norms[lost] = np.linalg.norm(coordinates[lost], axis=1, keepdims=True)
        found[start : start + len(rows)] = coordinates / norms
    return found


def as_power(whiten: object) -> float:
    """Return the option `whiten`, a number from 0 to 1, as a float.

    Args:
        whiten: Value of the option, of any type.

    Raises:
        InvalidArgumentError: If `whiten` is not a number from 0 to 1.
    """
    is_number = isinstance(whiten, int | float | np.floating | np.integer)
    power = float(cast("float", whiten)) if is_number else np.nan
    if 0 <= power <= 1:
        return power
    raise InvalidArgumentError(f"'whiten' must be from 0 to 1, got {brief(whiten)}")
