"""Cohn and Li's kissing configurations of 19, 20 and 21 dimensions: odd signs on octads of a shortened Golay code.

The minimal vectors of the laminated lattice are (+-4, +-4, 0, ...), and +-2 on the octads within n of 24 coordinates
with an even number of minus signs. With an odd number, as many points are as far apart, and there is room for the
vectors sqrt(32/n) (+-1, ..., +-1) with the signs of a codeword of the Golay code. Such a codeword has an even number
of minus signs on an octad. It therefore agrees in at most seven of eight signs, and 12 sqrt(32/n) is below 16. Two
such codewords must differ in n/4 of the n coordinates. Since codewords differ in at least 8 of 24, they may differ in
3 of the other coordinates (in 2 if n = 21). Allowing at most one 1 among four of these is the best possible choice
(Kleitman's theorem): 10 of 32 patterns for n = 19, which is Ho's improvement.
"""

import numpy as np

from protosphere.coding.golay import extended_golay
from protosphere.coding.linear import codewords, unpack
from protosphere.constructions.lattices.signed_vectors import (
    at_ones,
    signed_pairs,
    signs_of,
    signs_of_parity,
)
from protosphere.types import PackedBits, Points

LENGTH = 24
DISTANCE = 8
NORM = 32
OCTAD = 8


def golay_odd_signs(dim: int) -> Points:
    """Return the configuration in R^dim, dim = 19, 20 or 21, as unit vectors."""
    words = unpack(codewords(extended_golay(), 1 << 12), LENGTH)
    inside = words[~words[:, dim:].any(axis=1) & (words.sum(axis=1) == OCTAD)]
    signs = signs_of(_far_apart(words, dim)[:, :dim]) / np.sqrt(dim)
    flat = np.concatenate(
        [4 * signed_pairs(dim), 2 * at_ones(inside[:, :dim], signs_of_parity(OCTAD, 1))]
    )
    return np.concatenate([flat / np.sqrt(NORM), signs])


def _far_apart(words: PackedBits, dim: int) -> PackedBits:
    """Return codewords that differ in at least a quarter of the first `dim` coordinates.

    They have at most one 1 in the other coordinates, or in most of these.
    """
    diameter = DISTANCE - -(-dim // 4)
    guarded = words[:, dim : LENGTH - diameter % 2]
    return words[guarded.sum(axis=1) <= diameter // 2]
