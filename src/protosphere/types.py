"""Types of arrays and callbacks that packages share."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""K unit vectors of R^n, one per row."""

PackedBits = NDArray[np.uint8]
"""K binary words of n bits, one per row, packed eight to a byte, first bit highest (`np.packbits`), spare bits 0."""

Indices = NDArray[np.int64]

Cosine = Fraction | float
"""Exact where the points are algebraic, a float where they are not."""


class UpperBound(float):
    """An upper bound on all cosines that no known pair attains."""


Progress = Callable[[str, int, int], None]
"""Called with (what is being done, steps done, steps in all)."""


def ignore(*arguments: object) -> None:
    """Callback that ignores its arguments and does nothing."""
    del arguments
