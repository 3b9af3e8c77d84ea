"""Points that begin with entries +c or -c, with a common number c > 0.

Projections that use the Hadamard transform need points of this form.
"""

from dataclasses import dataclass

import numpy as np

from protosphere.coding.linear import pack
from protosphere.types import Indices, PackedBits, Points

ENTRY_TOLERANCE = 1e-12
"""Largest difference between two entries that count as equal."""


@dataclass(frozen=True, eq=False)
class SignRows:
    """Those points of a code that begin with entries +c or -c, with the same number c > 0 for all points.

    The remaining entries of a point are its glue vector.

    Attributes:
        classes: Indices of these points in the code. The code may also have points of another form.
        words: Signs, with one row of bytes per index in `classes` and eight signs in a byte; bit 1 stands for +.
        length: Number of entries +c or -c at the beginning of a point.
        coefficient: The number c.
        numbers: For each index in `classes`, the index of the point's codeword in the binary code from which the
            codewords are taken. The codeword is the signs as bits. If the binary code is not known, the indices are 0,
            1, 2, ... Codewords with close indices are likely to be in the same coset.
        glue_vectors: Distinct glue vectors, one per row. If all entries of the points are +c or -c, the rows are empty.
        glue_of: For each index in `classes`, the index of the point's glue vector in `glue_vectors`.
    """

    classes: Indices
    words: PackedBits
    length: int
    coefficient: float
    numbers: Indices
    glue_vectors: Points
    glue_of: Indices


def sign_rows_in(points: Points) -> SignRows | None:
    """Return those rows of a matrix that begin with entries +c or -c, or None if the matrix does not have this form.

    The number c is the absolute value of the first entry of the last row, and L is the number of entries +c or -c at
    the beginning of the last row. All rows whose first L entries are +c or -c are returned. L must be more than half of
    the length of a row, and c must be above 0. If this is not so, the first row of the matrix is used instead of the
    last row. If it is not so for the first row either, the result is None.

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
