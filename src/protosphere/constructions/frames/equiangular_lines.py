"""Equiangular lines as a member of a family: both unit vectors of each line."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from protosphere.constructions.families import Member, dense_member
from protosphere.types import Cosine, Points


def lines_member(
    dim: int, num_lines: int, max_cosine: Cosine, recipe: str, line_points: Callable[[], Points]
) -> Member:
    """One unit vector of each line first, then their negatives: cosines +-`max_cosine` and -1."""

    def points(count: int) -> Points:
        one_of_each = line_points()
        return np.concatenate([one_of_each, -one_of_each])[:count]

    step = 2 * max_cosine if isinstance(max_cosine, Fraction) else None
    return dense_member(dim, 2 * num_lines, max_cosine, f"{recipe}, both signs", points, step)
