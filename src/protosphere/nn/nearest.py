"""The answer of decoding."""

from typing import NamedTuple

from torch import Tensor


class Nearest(NamedTuple):
    """The nearest prototypes of each input, nearest first: their cosines and their classes, both (..., k)."""

    cosines: Tensor
    classes: Tensor
