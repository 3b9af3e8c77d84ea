"""Functions for families of tight frames: points from a Gram matrix, and codes from equiangular lines.

The Gram matrix of K unit vectors has their cosines as entries. The vectors are a tight frame of R^n if it is K/n times
an orthogonal projection. Lines through the origin are equiangular if all pairs of lines have the same angle.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from protosphere.constructions.families import Member, dense_member
from protosphere.geometry.sphere import normalized
from protosphere.types import Cosine, Points


def frame(gram: Points, dim: int) -> Points:
    """Return K unit vectors of R^n, as rows, that have a given Gram matrix.

    The Gram matrix must be K/n times the matrix of an orthogonal projection of rank n.

    Args:
        gram: K x K Gram matrix. Its diagonal is overwritten by ones.
        dim: Dimension n.
    """
    np.fill_diagonal(gram, 1.0)
    columns: Points = np.random.default_rng(0).standard_normal((len(gram), dim))
    # orthonormalized twice, because the second time removes the rounding errors of the first
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
    """Return the code of the unit vectors of equiangular lines, as a member of a family of codes.

    The code has one unit vector of each line, followed by the negatives of these vectors.

    Args:
        dim: Dimension n.
        num_lines: Number of lines.
        max_cosine: Absolute value of the cosine of two vectors on different lines.
        id: Identifier of the code within its family.
        description: Text that says what the lines are. The text ", both signs" is appended.
        lines: Function that returns one unit vector of each line.
    """

    def points(count: int) -> Points:
        one_of_each = lines()
        return np.concatenate([one_of_each, -one_of_each])[:count]

    step = 2 * max_cosine if isinstance(max_cosine, Fraction) else None
    description = f"{description}, both signs"
    return dense_member(dim, 2 * num_lines, max_cosine, id, description, points, step)
