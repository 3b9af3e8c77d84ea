"""Ganzhinov's kissing configuration of 14 dimensions: signs on products of two Fano planes.

The points of the Fano plane are the residues modulo 7. Line i consists of the points i, i + 1 and i + 3. The opposite
plane has the same points, and its lines are the negatives of these lines.

The coordinates of R^14 are two copies of the seven points. The configuration has 1,932 integer vectors of squared norm
8, any two of which have an inner product of at most 4. There are two types:

- All vectors with entries +-2 at two coordinates, and zeros elsewhere.
- For each pair (i, j) of lines of the Fano plane, 32 vectors with entries +-1 at eight coordinates, and zeros
  elsewhere. The eight coordinates are the four points of the first copy that are not on line i, and the four points of
  the second copy that are not on line j.

The signs of the 32 vectors are given by 32 codewords of 14 bits, where 1 means a minus sign. The bits at the other six
coordinates are not used. The codewords of (i, j) are made in two steps:

1. Take a word s of seven bits: either all bits are 0, or s has its ones on the complement of a line of the opposite
   plane. The first half of a codeword is s or the complement of s, and so is the second half.
2. Flip bit i - 1 (modulo 7) of the first half and bit j - 1 (modulo 7) of the second half.

The vectors of two different pairs share four of their eight coordinates, or six if the pairs have i or j in common. If
they share six, a vector of one pair and a vector of the other never have the same signs on all six.
"""

from itertools import product

import numpy as np

from protosphere.constructions.lattices.signed_vectors import signed_pairs, signs_of
from protosphere.types import Indices, Points

NORM = 8
LINE = (0, 1, 3)
"""Points of line 0 of the Fano plane."""


def fano_products() -> Points:
    """Return Ganzhinov's kissing configuration in R^14: 1,932 points, as unit rows."""
    supports = _complements(1)
    opposite = np.vstack([np.zeros((1, 7), dtype=np.int64), _complements(-1)])
    words: Indices = np.array(
        [
            np.concatenate([s ^ a, s ^ b])
            for s in opposite
            for a in (0, 1)
            for b in (0, 1)
        ]
    )
    places = np.eye(7, dtype=np.int64)
    blocks = [2 * signed_pairs(14)]
    for i, j in product(range(7), repeat=2):
        support = np.concatenate([supports[i], supports[j]])
        changed = np.concatenate([places[i - 1], places[j - 1]])
        blocks.append(support * signs_of(words ^ changed))
    return np.concatenate(blocks) / np.sqrt(NORM)


def _complements(sign: int) -> Indices:
    # row i is the complement of line i of the Fano plane, or of its opposite plane if `sign` is -1
    return np.array(
        [
            [int(sign * (point - shift) % 7 not in LINE) for point in range(7)]
            for shift in range(7)
        ]
    )
