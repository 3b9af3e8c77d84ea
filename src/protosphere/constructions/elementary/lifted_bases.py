"""Points from several mutually unbiased bases, which additional coordinates move apart.

Each basis has its own vertex of a simplex. The additional coordinates of all points of a basis are this vertex,
multiplied by a number that is the same for all bases.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import sqrt

import numpy as np

from protosphere.constructions.block_codes.kerdock import unbiased_points
from protosphere.constructions.families import (
    LARGEST_FAMILY_DIM,
    Member,
    dense_member,
    family,
)
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import normalized
from protosphere.types import Points


@family(
    summary="J unbiased bases of R^(4^t) and J-1 more coordinates, K = 2J 4^t; max cosine r/(1+r), r = (J-1)/(J 2^t)",
    reference="Cameron & Seidel (1973); Calderbank, Cameron, Kantor & Seidel (1997) for the bases",
)
def lifted_bases() -> Iterator[Member]:
    """Yield codes made of J mutually unbiased bases of R^(4^t), with J - 1 additional coordinates.

    A code has the points (u, sqrt(r) v_j) / sqrt(1+r) and (-u, sqrt(r) v_j) / sqrt(1+r), where u is a vector of basis
    j, v_j is vertex j of a simplex in R^(J-1), and r = (J-1)/(J 2^t). The maximum cosine is r/(1+r), both within a
    basis and between bases.

    Kerdock's code and the axes of R^(4^t) consist of 4^t/2 + 1 bases and their negatives. Vectors of two different
    bases have inner product +-1/2^t, so the bases are mutually unbiased. A code uses the first J of them, where J is at
    least 2.
    """
    for m in range(2, LARGEST_FAMILY_DIM.bit_length(), 2):
        for bases in range(2, min(1 << (m - 1), LARGEST_FAMILY_DIM - (1 << m)) + 2):
            # the codes with two bases are also in `lifted_cross_polytopes`
            r = Fraction(bases - 1, bases << m // 2)
            yield dense_member(
                dim=(1 << m) + bases - 1,
                size=2 * bases << m,
                max_cosine=r / (1 + r),
                id=f"bases-{1 << m}-{bases}",
                description=f"{bases} unbiased bases of R^{1 << m}, lifted",
                points=partial(_points, m, bases, r),
                step=2 / (1 + r) / (1 << m // 2),
            )


def _points(m: int, bases: int, r: Fraction, count: int) -> Points:
    # the points of the J = `bases` bases of R^(2^m), basis by basis
    tails = simplex_points(bases)[np.arange(count) // (2 << m)]
    return normalized(np.hstack([unbiased_points(m, count), sqrt(r) * tails]))
