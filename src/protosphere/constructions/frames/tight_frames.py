"""Tight frames: points by their Gram matrix, and equiangular lines as members of a family."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from protosphere.constructions.families import Member, dense_member
from protosphere.geometry.sphere import normalized
from protosphere.types import Cosine, Points


def frame(gram: Points, dim: int) -> Points:
    """K unit vectors of R^n with these cosines off the diagonal, where the Gram matrix is K/n times a projector.

    Columns of the range are found from fixed random ones, orthonormalized, and then both once more: what the first
    round leaves outside of the range, a small multiple of the rounding, the second takes out.
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
    """One unit vector of each line first, then their negatives: cosines +-`max_cosine` and -1."""

    def points(count: int) -> Points:
        one_of_each = lines()
        return np.concatenate([one_of_each, -one_of_each])[:count]

    step = 2 * max_cosine if isinstance(max_cosine, Fraction) else None
    description = f"{description}, both signs"
    return dense_member(dim, 2 * num_lines, max_cosine, id, description, points, step)
