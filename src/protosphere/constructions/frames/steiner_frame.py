"""Equiangular lines made from the pairs of v elements and a Hadamard matrix of order v."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.coding.hadamard import hadamard, hadamard_orders
from protosphere.constructions.families import LARGEST_FAMILY_DIM, Member, family
from protosphere.constructions.frames.tight_frames import lines_member
from protosphere.types import Points


@family(
    summary="Steiner equiangular lines, up to 2v^2 points, n = v(v-1)/2, v >= 4 a Hadamard order; max cosine 1/(v-1)",
    reference="Fickus, Mixon & Tremain (2012); Goethals & Seidel (1970)",
)
def steiner_frame() -> Iterator[Member]:
    """Yield codes of 2v^2 points on v^2 equiangular lines in R^(v(v-1)/2), for the orders v >= 4 of Hadamard matrices.

    There is one coordinate for each pair of the elements 0 to v - 1, and each element has v lines. The unit vectors of
    these v lines are nonzero only in the coordinates of the v - 1 pairs that contain the element. The nonzero entries
    of each vector are a row of a Hadamard matrix of order v without its constant column, divided by sqrt(v - 1). Two
    vectors of different elements are both nonzero in only one coordinate. First comes one unit vector of each line,
    then the negatives of these vectors.
    """
    for v in hadamard_orders(LARGEST_FAMILY_DIM):
        dim = v * (v - 1) // 2
        if v >= 4 and dim <= LARGEST_FAMILY_DIM:
            yield lines_member(
                dim=dim,
                num_lines=v * v,
                max_cosine=Fraction(1, v - 1),
                id=f"steiner-{v}",
                description=f"Steiner frame of all pairs of {v}",
                lines=partial(steiner_points, v),
            )


def steiner_points(v: int) -> Points:
    """Return one unit vector of each of v^2 equiangular lines in R^(v(v-1)/2), as rows.

    There is one coordinate for each pair of the elements 0 to v - 1, and each element has v lines. The vectors of
    element 0 come first, then those of element 1, and so on. They are nonzero only in the coordinates of the v - 1
    pairs that contain the element.

    Args:
        v: Number of elements, for which there must be a Hadamard matrix of order v.
    """
    matrix = hadamard(v)
    rows = (matrix * matrix[:, :1])[:, 1:] / np.sqrt(v - 1)
    things, places = np.triu_indices(v, k=1)
    points = np.zeros((v, v, len(things)))
    for thing in range(v):
        points[thing][:, (things == thing) | (places == thing)] = rows
    return points.reshape(v * v, -1)
