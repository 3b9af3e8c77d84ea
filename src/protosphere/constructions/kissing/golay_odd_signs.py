"""Cohn and Li's kissing configurations of 19, 20 and 21 dimensions: odd signs on octads of a shortened Golay code.

The coordinates are the first n of the 24 coordinates of the extended Golay code. An octad is the set of the ones of a
codeword of weight 8. Only octads among the first n coordinates are used.

The minimal vectors of the laminated lattice of dimension n have squared norm 32. There are two types:

- vectors with two entries +-4
- vectors with eight entries +-2 at the coordinates of an octad, an even number of which are negative

The configurations have the vectors of the first type. They also have vectors like those of the second type, but with an
odd number of negative entries. The number of vectors and their distances are the same as in the lattice.

Then there is room for the vectors sqrt(32/n) (+-1, ..., +-1), whose negative entries are the ones of a codeword of the
Golay code among the first n coordinates. A codeword has an even number of ones on an octad. Therefore the signs of such
a vector agree with those of a vector on the octad in at most seven of the eight coordinates. The inner product of the
two vectors is at most 12 sqrt(32/n), which is below 16.

Any two of the chosen codewords must differ in at least n/4 of the first n coordinates. All codewords differ in at least
8 of the 24 coordinates. So it is enough that the chosen codewords differ in at most 3 of the last 24 - n coordinates,
or in at most 2 if n = 21. Therefore only codewords with at most one 1 among some of the last coordinates are chosen:
among four of them if n = 19, and among three if n = 20 or 21. By Kleitman's theorem, no other choice allows more
patterns of bits at the last 24 - n coordinates. For n = 19, it allows 10 of the 32 patterns, which is Ho's improvement.
"""

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.golay import extended_golay
from protosphere.coding.linear import codewords, unpack
from protosphere.constructions.lattices.signed_vectors import (
    at_ones,
    signed_pairs,
    signs_of,
    signs_of_parity,
)
from protosphere.types import Points

LENGTH = 24
DISTANCE = 8
NORM = 32
OCTAD = 8


def golay_odd_signs(dim: int) -> Points:
    """Return the kissing configuration in R^n as unit rows: points whose cosines are at most 1/2.

    Args:
        dim: Dimension n: 19, 20 or 21.
    """
    words = unpack(codewords(extended_golay(), 1 << 12), LENGTH)
    inside = words[~words[:, dim:].any(axis=1) & (words.sum(axis=1) == OCTAD)]
    signs = signs_of(_far_apart(words, dim)[:, :dim]) / np.sqrt(dim)
    flat = np.concatenate(
        [4 * signed_pairs(dim), 2 * at_ones(inside[:, :dim], signs_of_parity(OCTAD, 1))]
    )
    return np.concatenate([flat / np.sqrt(NORM), signs])


def _far_apart(words: NDArray[np.uint8], dim: int) -> NDArray[np.uint8]:
    # Any two of the chosen rows differ in at least a quarter of their first `dim` entries, as the module docstring
    # explains.
    diameter = DISTANCE - -(-dim // 4)
    guarded = words[:, dim : LENGTH - diameter % 2]
    return words[guarded.sum(axis=1) <= diameter // 2]
