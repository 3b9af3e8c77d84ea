"""Ganzhinov's kissing configuration of 14 dimensions: signs on products of two Fano planes.

The points of the Fano plane are the residues modulo 7. Line i is `LINE` shifted by i. The lines of the opposite plane
are the negatives of these lines. The coordinates of R^14 are two copies of the seven points.

The configuration has 1,932 integer vectors of squared norm 8 with inner products up to 4. The first vectors have
entries +-2 at two coordinates, and zeros elsewhere. The other vectors belong to the 49 pairs (i, j) of lines. They have
entries +-1 at eight coordinates: at the four points of the first copy that are not on line i, and at the four points of
the second copy that are not on line j.

The signs are given by codewords of 14 bits, where 1 means a minus sign. Each pair (i, j) has 32 codewords (s + a, s +
b). Here s is 0 or the complement of a line of the opposite plane, and a and b are bits that are added to all entries of
s. In each codeword, two bits are then flipped: bit i - 1 (modulo 7) of the first half, and bit j - 1 (modulo 7) of the
second half.

Two different pairs share four of their eight coordinates, or six if the pairs have i or j in common. If two pairs share
six, no two of their vectors have the same signs on all six.
"""

from itertools import product

import numpy as np

from protosphere.constructions.lattices.signed_vectors import signed_pairs, signs_of
from protosphere.types import Indices, Points

NORM = 8
LINE = (0, 1, 3)
"""A line, as residues modulo 7; the other lines are its translates, and its negatives are the lines of the opposite
plane.
"""


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
    """Return the complements of seven lines as 0/1 rows.

    If `sign` is 1, row i is the complement of line i of the Fano plane. If `sign` is -1, the rows are the complements
    of the lines of the opposite plane.
    """
    return np.array(
        [
            [int(sign * (point - shift) % 7 not in LINE) for point in range(7)]
            for shift in range(7)
        ]
    )
