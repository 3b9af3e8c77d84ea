"""Types of arrays and callbacks that packages share."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""K unit vectors of R^n, one per row."""

PackedBits = NDArray[np.uint8]
"""K binary codewords of n bits, one per row, packed eight to a byte as by `np.packbits`, with spare bits 0."""

Indices = NDArray[np.int64]

Cosine = Fraction | float
"""A cosine: a fraction if it is exact, otherwise a float."""


class UpperBound(float):
    """Upper bound on the cosines of all pairs of points, which no pair needs to attain."""


Progress = Callable[[str, int, int], None]
"""Function that is called with the stage, the number of steps done, and the number of all steps."""


def ignore(*arguments: object) -> None:
    """Do nothing: a callback that ignores its arguments."""
    del arguments
