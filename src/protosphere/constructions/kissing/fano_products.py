"""Ganzhinov's kissing configuration of 14 dimensions: signs on products of two Fano planes.

The coordinates of R^14 are two copies of the seven points of the Fano plane. The configuration has 1,932 integer
vectors of squared norm 8 with inner products up to 4. The first vectors have entries +-2 at two coordinates, and zeros
elsewhere. The other vectors belong to the 49 pairs (i, j) of lines. They have entries +-1 at eight coordinates: at the
four points of the first copy that are not on line i, and at the four points of the second copy that are not on line j.

For each pair (i, j), 32 sign patterns are taken. They come from the codewords (s + a, s + b), where s is 0 or the
complement of a line of the opposite plane, and a and b are bits. In each codeword, two signs are then changed: those of
coordinate i - 1 (modulo 7) of the first copy, and of coordinate j - 1 (modulo 7) of the second copy. Two different
pairs share four of their eight coordinates, or six if the pairs have i or j in common. If two pairs share six, no two
of their vectors have the same signs on all six.
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
    """Return the 1,932 points of the configuration in R^14 as unit rows."""
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

    Row i belongs to the line that is shifted by i modulo 7: the line `LINE` if `sign` is 1, and its negative if `sign`
    is -1.
    """
    return np.array(
        [
            [int(sign * (point - shift) % 7 not in LINE) for point in range(7)]
            for shift in range(7)
        ]
    )
