"""The Leech lattice in its usual coordinates: integers over sqrt(8), built on the extended Golay code.

An integer vector x is in sqrt(8) times the lattice if three conditions hold (Conway & Sloane, SPLAG, chapter 4, section
11):

- The entries of x are all even, or they are all odd. Let m be 0 if they are even, and 1 if they are odd.
- The sum of the entries is 4m modulo 8.
- The coordinates i for which x_i - m is 2 modulo 4 form a codeword of the Golay code.
"""

from functools import lru_cache

import numpy as np

from protosphere.coding.golay import extended_golay
from protosphere.coding.linear import codewords, unpack
from protosphere.constructions.lattices.construction_b import SmallIntegers
from protosphere.constructions.lattices.signed_vectors import (
    at_ones,
    signed_pairs,
    signs_of_parity,
)
from protosphere.geometry.lattice_coset import integer_basis
from protosphere.types import Indices

LEAST_NORM = 32
"""Smallest squared norm of a nonzero vector in these coordinates; 4 in the usual scaling of the lattice.

Squared norms are multiples of 16, inner products multiples of 8.
"""


@lru_cache(maxsize=1)
def leech_minimal_vectors() -> SmallIntegers:
    """Return the 196,560 minimal vectors of the Leech lattice times sqrt(8), as integer rows of squared norm 32.

    First come 1,104 vectors with two entries +-4, then 97,152 with eight entries +-2, then 98,304 with one entry +-3
    and 23 entries +-1. All other entries are zero.
    """
    words = unpack(codewords(extended_golay(), 1 << 12), 24).astype(np.int8)
    pairs = (4 * signed_pairs(24)).astype(np.int8)
    octads = at_ones(
        words[words.sum(axis=1) == 8], (2 * signs_of_parity(8, 0)).astype(np.int8)
    )
    found = np.concatenate([pairs, octads, _odd_minimal_vectors(words)])
    found.flags.writeable = False  # the cache hands it to everyone
    return found


def leech_basis() -> Indices:
    """Return a basis of sqrt(8) times the Leech lattice, as the rows of a triangular 24 x 24 matrix of integers."""
    # every lattice vector is an integer combination of these vectors: 2 times the codewords of the Golay code,
    # 4 e_0 + 4 e_i for all i, and (-3, 1, ..., 1)
    golay = 2 * unpack(extended_golay(), 24).astype(np.int64)
    fours = 4 * np.eye(24, dtype=np.int64)
    fours[:, 0] += 4
    return integer_basis(np.concatenate([golay, fours, [(-3, *(1,) * 23)]]))


def _odd_minimal_vectors(words: SmallIntegers) -> SmallIntegers:
    # -1 at the ones of a codeword and +1 at the other coordinates; then one of the entries is multiplied by -3
    found = np.tile((1 - 2 * words)[:, None], (1, 24, 1))
    places = np.arange(24)
    found[:, places, places] *= -3
    return found.reshape(-1, 24)
