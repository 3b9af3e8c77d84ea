"""Types of arrays and callbacks that packages share."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Array of float64 numbers, usually K unit vectors of R^n, one per row."""

PackedBits = NDArray[np.uint8]
"""K binary codewords of n bits, one per row, packed eight bits to a byte as by `np.packbits`; unused bits are 0."""

Indices = NDArray[np.int64]

Cosine = Fraction | float
"""A cosine: a fraction if it is exact, otherwise a float."""


class UpperBound(float):
    """Upper bound on the cosines of all pairs of points, as a float.

    Unlike a measured maximum cosine, it need not be the cosine of any pair.
    """


Progress = Callable[[str, int, int], None]
"""Type of a function that is called with the name of the current stage, the number of finished steps, and the number of
all steps (0 if unknown)."""


def ignore(*arguments: object) -> None:
    """Accept any arguments and do nothing.

    This function is the default value of callbacks such as `progress`.
    """
    del arguments
