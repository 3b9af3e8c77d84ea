"""Cohn and Li's kissing configurations of 19, 20 and 21 dimensions: odd signs on octads of a shortened Golay code.

The minimal vectors of the laminated lattice of dimension n have squared norm 32. There are two types: vectors with two
entries +-4, and vectors with entries +-2 on an octad within the first n of 24 coordinates. In the lattice, an even
number of these eight entries is negative. If an odd number is negative instead, the number of points and the distances
stay the same.

Then there is room for the vectors sqrt(32/n) (+-1, ..., +-1) with the signs of a codeword of the Golay code. A codeword
has an even number of minus signs on an octad, and a vector on the octad has an odd number. Therefore the two agree in
at most seven of eight signs, and their inner product is at most 12 sqrt(32/n), which is below 16.

Two codewords must differ in at least n/4 of the first n coordinates. All codewords differ in at least 8 of the 24
coordinates. So it is enough that the chosen codewords differ in at most 3 of the other 24 - n coordinates, or in at
most 2 if n = 21. For this purpose, codewords with at most one 1 among some of these coordinates are chosen: among four
of them if n = 19, and among three if n = 20 or 21. The entries of a codeword at the other 24 - n coordinates are called
its pattern. By Kleitman's theorem, no other choice has codewords with more patterns. If n = 19, there are 10 of the 32
patterns, which is Ho's improvement.
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
    """Return the kissing configuration in R^n as unit rows.

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
    """Return some rows of `words`, any two of which differ in at least a quarter of their first `dim` entries.

    The rows of `words` are all codewords of the extended Golay code, as zeros and ones.
    """
    diameter = DISTANCE - -(-dim // 4)
    guarded = words[:, dim : LENGTH - diameter % 2]
    return words[guarded.sum(axis=1) <= diameter // 2]
