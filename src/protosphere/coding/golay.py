"""The extended binary Golay code [24, 12, 8]: MacWilliams & Sloane, chapter 2, section 6, and chapter 20."""

from functools import lru_cache

import numpy as np

from protosphere.coding.bch import systematic_rows
from protosphere.coding.linear import pack, unpack
from protosphere.types import PackedBits

GENERATOR = 0b110001110101
"""Generator polynomial x^11 + x^10 + x^6 + x^5 + x^4 + x^2 + 1 of the Golay code of length 23; bit i belongs to x^i."""


@lru_cache
def extended_golay() -> PackedBits:
    """Return the generator matrix of the extended Golay code: 12 rows of 24 bits, packed eight bits to a byte.

    The code is the quadratic residue code of length 23, extended by a parity bit. The example counts its codewords by
    weight.

    >>> from protosphere.coding.linear import codewords, weights
    >>> np.unique_counts(weights(codewords(extended_golay(), 1 << 12))).counts.tolist()  # 0, 8, 12, 16, 24
    [1, 759, 2576, 759, 1]
    """
    bits = unpack(systematic_rows(GENERATOR, 23, 0, 12), 23)
    return pack(np.column_stack([bits, bits.sum(axis=1) % 2]))
