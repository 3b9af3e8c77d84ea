"""`Nearest`: the nearest prototypes that `PrototypeHead.decode` returns."""

from typing import NamedTuple

from torch import Tensor


class Nearest(NamedTuple):
    """The k nearest prototypes of each vector, nearest first. The vectors have the shape (..., n).

    Attributes:
        cosines: (..., k) cosines of each vector with its k nearest prototypes.
        classes: (..., k) class indices of these prototypes.

    Example:
        >>> import torch
        >>> from protosphere.nn import PrototypeHead
        >>> head = PrototypeHead(10, dim=9)
        >>> head.decode(head.prototypes()[:2], k=1).classes.tolist()
        [[0], [1]]
    """

    cosines: Tensor
    classes: Tensor
