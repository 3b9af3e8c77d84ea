"""Functions for families of tight frames: points from a Gram matrix, and codes from equiangular lines."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from protosphere.constructions.families import Member, dense_member
from protosphere.geometry.sphere import normalized
from protosphere.types import Cosine, Points


def frame(gram: Points, dim: int) -> Points:
    """Return K unit vectors of R^n, as rows, that have a given Gram matrix.

    The Gram matrix must be K/n times the matrix of an orthogonal projection. The columns of the result are an
    orthogonal basis of the range of the Gram matrix. To compute them, the function multiplies random vectors (with a
    fixed seed) by the Gram matrix and orthonormalizes the products. It does so twice, because the second time removes
    the rounding errors of the first.

    Args:
        gram: K x K Gram matrix. The diagonal may have any entries, because the function overwrites it with ones.
        dim: Dimension n.
    """
    np.fill_diagonal(gram, 1.0)
    columns: Points = np.random.default_rng(0).standard_normal((len(gram), dim))
    for _ in range(2):
        columns = np.linalg.qr(gram @ columns)[0]
    return normalized(columns)


def lines_member(
    dim: int,
    num_lines: int,
    max_cosine: Cosine,
    id: str,
    description: str,
    lines: Callable[[], Points],
) -> Member:
    """Return the member of a family whose points are the unit vectors of equiangular lines.

    First comes one unit vector of each line, then the negatives of these vectors.

    Args:
        dim: Dimension n.
        num_lines: Number of lines.
        max_cosine: Absolute cosine of two lines.
        id: Identifier of the code within its family.
        description: Text that says what the code is.
        lines: Function that returns one unit vector of each line.
    """

    def points(count: int) -> Points:
        one_of_each = lines()
        return np.concatenate([one_of_each, -one_of_each])[:count]

    step = 2 * max_cosine if isinstance(max_cosine, Fraction) else None
    description = f"{description}, both signs"
    return dense_member(dim, 2 * num_lines, max_cosine, id, description, points, step)
