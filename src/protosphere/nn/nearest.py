"""The result of decoding."""

from typing import NamedTuple

from torch import Tensor


class Nearest(NamedTuple):
    """The nearest prototypes of each input, nearest first.

    Attributes:
        cosines: (..., k) cosines.
        classes: (..., k) classes.
    """

    cosines: Tensor
    classes: Tensor
