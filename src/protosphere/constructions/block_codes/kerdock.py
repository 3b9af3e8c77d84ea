"""Kerdock codes: n^2 points, or n^2 + 2n points together with the axes, with maximum cosine 1/sqrt(n) in R^n.

The axes are the 2n points e_1, -e_1, e_2, -e_2, ..., where e_1, e_2, ... is the standard basis of R^n.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.constructions.block_codes.coset_forms import coset_union, nested_codes
from protosphere.constructions.families import Member, family
from protosphere.constructions.traits import Traits
from protosphere.geometry.sphere import cross_polytope_points
from protosphere.spherical.structures import Plain, Structure, with_axes
from protosphere.types import Points

LARGEST_DENSE = 6
"""Largest m for which codewords of length 2^m with axes are stored as dense vectors, which take 2 MB at most."""


@family(
    summary="n^2 Kerdock codewords with entries +-1/sqrt(n), n = 4^t, and optionally 2n axes; max cosine 1/sqrt(n)",
    reference="Kerdock (1972); Levenstein (1982); Calderbank, Cameron, Kantor & Seidel (1997)",
    traits=Traits(packed=True, fast_projection=True),
)
def kerdock(largest_dim: int) -> Iterator[Member]:
    """Yield two codes for each length n = 2^m up to `largest_dim`, m even: Kerdock's code, without and with the axes.

    The axes are the 2n points e_1, -e_1, e_2, ... Kerdock's code is a union of n/2 cosets of the first-order
    Reed-Muller code. The points of a coset are the vectors of an orthonormal basis and their negatives. These n/2 bases
    and the standard basis are mutually unbiased. All cosines of different points are 0, -1 or +-1/sqrt(n). No antipodal
    set of points with only these cosines has more than the n^2 + 2n points of Kerdock's code and the axes (Levenstein
    1982). For n = 4, Kerdock's code and the axes together are the 24-cell.

    Kerdock's code is stored as packed codewords. The points with the axes are stored as dense vectors for n up to 64,
    and as packed codewords and indices of axes for larger n. The largest length is 65,536.
    """
    for m in range(2, min(largest_dim, 1 << 16).bit_length(), 2):
        level = nested_codes(m)[1]
        yield level
        yield Member(
            dim=1 << m,
            size=level.size + (2 << m),
            max_cosine=level.max_cosine,
            id=f"{level.id}-axes",
            description=f"{level.description} and the axes",
            structure=partial(words_and_axes, m),
        )


def words_and_axes(m: int, num_points: int) -> Structure:
    """Return the first `num_points` points of a list of n^2 + 2n points of R^n, where n = 2^m.

    The list has the n^2 codewords of Kerdock's code, coset by coset, and then the 2n axes e_1, -e_1, e_2, ...

    Args:
        m: Base-2 logarithm of n, even.
        num_points: Number of points to return, at most n^2 + 2n.
    """
    if m <= LARGEST_DENSE:
        return Plain(unbiased_points(m, num_points), Fraction(2, 1 << m))
    words = coset_union(m, min(num_points, 1 << 2 * m))
    return with_axes(words, num_points - words.count)


def unbiased_points(m: int, num_points: int) -> Points:
    """Return the first `num_points` points of a list of n^2 + 2n points of R^n, where n = 2^m, as rows of a matrix.

    The list has the n^2 codewords of Kerdock's code, coset by coset, and then the 2n axes e_1, -e_1, e_2, ... The
    codewords have entries +-1/sqrt(n).

    Args:
        m: Base-2 logarithm of n, even.
        num_points: Number of points to return, at most n^2 + 2n.
    """
    words = coset_union(m, min(num_points, 1 << 2 * m))
    axes = cross_polytope_points(num_points - words.count, 1 << m)
    return np.concatenate([words.unit_rows(0, words.count), axes])
