"""What decoding answers with, and who may do it."""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

Top = Callable[[Tensor, int], tuple[Tensor, Tensor]]
"""(vectors, k) to their k largest dot products with the prototypes, and the classes of those."""


class Nearest(NamedTuple):
    """The nearest prototypes of each input, nearest first: their cosines and their classes, both B x k."""

    cosines: Tensor
    classes: Tensor
