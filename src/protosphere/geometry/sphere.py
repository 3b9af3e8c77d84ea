"""Functions that compute and check unit vectors."""

import numpy as np

from protosphere.errors import InvalidArgumentError
from protosphere.types import Points

UNIT_TOLERANCE = 1e-5
"""Largest difference of a norm from 1 that counts as rounding.

The rounding error of the norm of a vector with a million float32 entries is smaller.
"""

BLOCK_ROWS = 1 << 16
"""Number of rows that are normalized at a time, so that large arrays are not copied as a whole."""


def product_rounding(dim: int) -> float:
    """Return an upper bound on the rounding error of inner products of unit vectors of R^n in float64.

    Observed errors are below a tenth of this bound.

    Args:
        dim: Dimension n.
    """
    return 2.0**-47 * dim**0.5


def normalized(points: Points) -> Points:
    """Return the rows of a matrix, each divided by its norm.

    Args:
        points: Nonzero vectors, as rows.

    Returns:
        Unit vectors, as rows. Their norms differ from 1 only in the last one or two bits.
    """
    if len(points) <= BLOCK_ROWS:
        return _normalized(points)
    unit = np.empty(points.shape)
    for start in range(0, len(points), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        unit[rows] = _normalized(points[rows])
    return unit


def _normalized(points: Points) -> Points:
    largest = np.max(np.abs(points), axis=1, keepdims=True)
    scaled = points / largest  # squares neither overflow nor vanish
    # The second division leaves only the last one or two bits of the norms different from 1.
    once = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return once / np.linalg.norm(once, axis=1, keepdims=True)


def uniform_points(num_points: int, dim: int, rng: np.random.Generator) -> Points:
    """Return independent random points that are uniformly distributed on the unit sphere of R^n.

    Args:
        num_points: Number of points.
        dim: Dimension n of the space.
        rng: Random generator.

    Returns:
        Unit vectors, as rows.
    """
    return normalized(rng.standard_normal((num_points, dim)))


def cross_polytope_points(num_points: int, dim: int) -> Points:
    """Return the first K of the 2n vertices e_1, -e_1, e_2, -e_2, ... of the cross-polytope in R^n.

    Args:
        num_points: Number K of points, at most 2n.
        dim: Dimension n of the space.

    Returns:
        Unit vectors, as rows.
    """
    numbers = np.arange(num_points)
    points = np.zeros((num_points, dim))
    points[numbers, numbers // 2] = 1 - 2 * (numbers % 2)
    return points


def renormalized(points: Points) -> Points:
    """Return a matrix after dividing each row by its norm, except rows that are unit vectors up to rounding.

    Args:
        points: Nonzero vectors, as rows.

    Returns:
        Unit vectors, as rows. If no row was divided, this is `points` itself.
    """
    squares = np.einsum("ij,ij->i", points, points)
    off = np.abs(squares - 1) > product_rounding(points.shape[1])
    if not off.any():
        return points
    unit = points.copy()
    unit[off] = normalized(points[off])
    return unit


def padded(points: Points, dim: int) -> Points:
    """Return the points with zeros appended to reach a given dimension. Their cosines do not change.

    Args:
        points: Vectors, as rows.
        dim: Number of coordinates of the new points, at least the number of coordinates of the given points.
    """
    return np.pad(points, ((0, 0), (0, dim - points.shape[1])))


def require_unit_rows(
    points: Points,
    what: str = "points",
    advice: str = "divide each row by its norm first",
) -> None:
    """Check that an array is a matrix of at least two rows, and that the rows are unit vectors up to rounding.

    Args:
        points: Array to check, with points as rows.
        what: Name of the argument in which the user passed the array, for the error message.
        advice: End of the error message for a row whose norm is not 1.

    Raises:
        InvalidArgumentError: If the array is not a matrix with at least two rows and one column, or if a row is not a
            finite unit vector. For such a row, the message has the index of the row.
    """
    if points.ndim != 2 or points.shape[0] < 2 or points.shape[1] < 1:
        shape = " x ".join(map(str, points.shape)) or "a single number"
        wanted = "a matrix with at least two rows, one prototype per row"
        raise InvalidArgumentError(f"'{what}' must be {wanted}, got {shape}")
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise InvalidArgumentError(
            f"'{what}' must be finite, got NaN or infinity in row {int(np.argmin(finite))}"
        )
    with np.errstate(over="ignore"):  # the norm of huge entries is infinity, not 1
        norms = np.linalg.norm(points, axis=1)
    row = int(np.argmax(np.abs(norms - 1)))
    if abs(norms[row] - 1) > UNIT_TOLERANCE:
        got = f"got norm {norms[row]:.6g} in row {row}"
        raise InvalidArgumentError(f"'{what}' must have unit rows, {got}; {advice}")
