"""Unit vectors: making them, checking them."""

import numpy as np

from protosphere.errors import InvalidArgumentError
from protosphere.types import Points

UNIT_TOLERANCE = 1e-5
"""How far from 1 a norm may be and still count as rounding: float32 rows of a million entries stay within it."""

BLOCK_ROWS = 1 << 16
"""Rows that are normalized together: of many, no second copy is held."""


def product_rounding(dim: int) -> float:
    """How far inner products of unit vectors of R^n stray in float64, generously; ours stay within a tenth of it."""
    return 2.0**-47 * dim**0.5


def normalized(points: Points) -> Points:
    """`points` with every row divided by its norm, twice, so that the norms are 1 to the last bit or two."""
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
    once = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return once / np.linalg.norm(once, axis=1, keepdims=True)


def uniform_points(num_points: int, dim: int, rng: np.random.Generator) -> Points:
    """Independent points, uniform on the sphere: normalized Gaussians (Muller 1959)."""
    return normalized(rng.standard_normal((num_points, dim)))


def cross_polytope_points(num_points: int, dim: int) -> Points:
    """e_1, -e_1, e_2, -e_2, ...: up to 2n points of R^n, antipodal or orthogonal."""
    numbers = np.arange(num_points)
    points = np.zeros((num_points, dim))
    points[numbers, numbers // 2] = 1 - 2 * (numbers % 2)
    return points


def renormalized(points: Points) -> Points:
    """Rows that are unit vectors to the last bits as they are; others, shorter or longer, divided by their norms."""
    squares = np.einsum("ij,ij->i", points, points)
    off = np.abs(squares - 1) > product_rounding(points.shape[1])
    if not off.any():
        return points
    unit = points.copy()
    unit[off] = normalized(points[off])
    return unit


def padded(points: Points, dim: int) -> Points:
    """`points` with zero coordinates appended up to `dim`: no cosine changes."""
    return np.pad(points, ((0, 0), (0, dim - points.shape[1])))


def require_unit_rows(points: Points, what: str = "points") -> None:
    """Raise unless `points` is a matrix of at least two finite unit rows; say which row is not."""
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
        raise InvalidArgumentError(
            f"'{what}' must have unit rows, {got}; divide each row by its norm first"
        )
