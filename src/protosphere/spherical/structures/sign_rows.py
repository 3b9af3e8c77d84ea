"""Points that begin with entries +c or -c, where the number c > 0 is the same for all of these points.

The entries after those of absolute value c are called the glue vector of a point. A codeword is the vector of the signs
of a point as bits: bit 1 stands for +c and bit 0 for -c. Projections that use the Hadamard transform need points of
this form.
"""

from dataclasses import dataclass

import numpy as np

from protosphere.coding.linear import pack
from protosphere.types import Indices, PackedBits, Points

ENTRY_TOLERANCE = 1e-12
"""Largest difference between two entries that count as equal."""


@dataclass(frozen=True, eq=False)
class SignRows:
    """Those points of a code that begin with entries +c or -c, where c > 0 is the same for all of these points.

    The code may also have points of another form, which are left out. The entries after those of absolute value c are
    the glue vector of a point.

    Attributes:
        classes: Indices in the code of the points that are not left out.
        words: Signs of these points: one row of bytes per point, eight signs in a byte; bit 1 stands for +c.
        length: Number of entries +c or -c at the beginning of each point.
        coefficient: The number c.
        numbers: For each of these points, an index of its codeword, which consists of the signs as bits. If the
            codewords are taken from a binary code, it is the index in that code. Otherwise, the indices are 0, 1, 2,
            ... Codewords with close indices are likely to be in the same coset.
        glue_vectors: Distinct glue vectors, one per row. If the points have no other entries than +c or -c, the rows
            are empty.
        glue_of: For each of these points, the index of its glue vector in `glue_vectors`.
    """

    classes: Indices
    words: PackedBits
    length: int
    coefficient: float
    numbers: Indices
    glue_vectors: Points
    glue_of: Indices


def sign_rows_in(points: Points) -> SignRows | None:
    """Return those rows of a matrix that begin with L entries +c or -c, for a number c > 0 and a length L, or None.

    The last row is tried first: c is the absolute value of its first entry, and L is the number of its leading entries
    with this absolute value (up to 1e-12). If c is 0, or if L is at most half of the length of a row, c and L are taken
    from the first row in the same way. If this fails too, the result is None.

    Args:
        points: Matrix with one point per row.
    """
    for row in (points[-1], points[0]):
        height = abs(row[0])
        differs = np.abs(np.abs(row) - height) > ENTRY_TOLERANCE
        length = int(np.argmax(differs)) if differs.any() else len(row)
        if height > 0 and 2 * length > len(row):
            found = np.flatnonzero(
                (np.abs(np.abs(points[:, :length]) - height) <= ENTRY_TOLERANCE).all(
                    axis=1
                )
            )
            glue_vectors, glue_of = np.unique(
                np.round(points[found, length:], 14), axis=0, return_inverse=True
            )
            words = pack(points[found, :length] > 0)
            return SignRows(
                found,
                words,
                length,
                float(height),
                np.arange(len(found)),
                glue_vectors,
                glue_of.reshape(-1),
            )
    return None
