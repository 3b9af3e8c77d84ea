"""Ganzhinov's kissing configuration of 14 dimensions: signs on products of two Fano planes.

The coordinates of R^14 are two copies of the seven points of the Fano plane. The configuration has 1,932 integer
vectors of squared norm 8 with inner products up to 4. Some vectors have entries +-2 at any two coordinates. The others
have entries +-1 at four coordinates of each copy: at the complement of line i in the first copy and of line j in the
second copy. For each pair (i, j), 32 sign patterns are taken. They are the codewords (s + a, s + b), where s is 0 or
the complement of a line of the opposite plane, and a and b are bits. Then the sign of coordinate i - 1 is changed in
the first copy, and the sign of coordinate j - 1 in the second copy. Two supports share four coordinates, or six if they
have i or j in common. In the second case no two vectors have the same signs on all shared coordinates.
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
    """Return 0/1 rows: the complements of the seven translates of the line (sign 1) or of its negative (sign -1)."""
    return np.array(
        [
            [int(sign * (point - shift) % 7 not in LINE) for point in range(7)]
            for shift in range(7)
        ]
    )
