"""Points that are signs times a number, with or without a glue vector, as a Hadamard projection needs them."""

from dataclasses import dataclass

import numpy as np

from protosphere.coding.linear import pack
from protosphere.types import Indices, PackedBits, Points

ENTRY_TOLERANCE = 1e-12
"""How far entries may lie apart that are the same but for rounding."""


@dataclass(frozen=True, eq=False)
class SignRows:
    """Points given by signs.

    Class classes[i] is `coefficient` times the signs of words[i] (bit 1 is +), followed by glue_vectors[glue_of[i]].
    `numbers` are the numbers of the codewords in their code: codewords with near numbers are likely to share a coset.
    """

    classes: Indices
    words: PackedBits
    length: int
    coefficient: float
    numbers: Indices
    glue_vectors: Points
    glue_of: Indices


def sign_rows_in(points: Points) -> SignRows | None:
    """Return the rows of dense points that begin with signs: as many as in the last row, or else in the first."""
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
