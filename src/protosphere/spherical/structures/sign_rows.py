"""Points in the form coefficient * signs, with or without a glue vector, as the Hadamard projection needs them."""

from dataclasses import dataclass

import numpy as np

from protosphere.coding.linear import pack
from protosphere.types import Indices, PackedBits, Points

ENTRY_TOLERANCE = 1e-12
"""Largest difference between two entries that count as equal."""


@dataclass(frozen=True, eq=False)
class SignRows:
    """Points that begin with signs times one coefficient.

    Attributes:
        classes: Index of the class of each point; other classes are not in this form.
        words: Packed signs of the points, one row each; bit 1 is +.
        length: Number of signs in a row.
        coefficient: Absolute value of the entries before the glue vector.
        numbers: Index of each codeword in its code; codewords with close indices are likely to share a coset.
        glue_vectors: Distinct glue vectors, one per row.
        glue_of: Row of `glue_vectors` that follows each point.
    """

    classes: Indices
    words: PackedBits
    length: int
    coefficient: float
    numbers: Indices
    glue_vectors: Points
    glue_of: Indices


def sign_rows_in(points: Points) -> SignRows | None:
    """Return the dense points that begin with signs times one coefficient; None if there are too few signs.

    The last row gives the coefficient and the number of signs, or else the first row. More than half of its entries
    must be signs.
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
