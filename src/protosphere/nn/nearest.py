"""The result type of decoding."""

from typing import NamedTuple

from torch import Tensor


class Nearest(NamedTuple):
    """The nearest prototypes of each input, nearest first.

    Attributes:
        cosines: (..., k) cosines.
        classes: (..., k) classes.

    Example:
        >>> import torch
        >>> from protosphere.nn import PrototypeHead
        >>> head = PrototypeHead(10, dim=9)
        >>> head.decode(head.prototypes()[:2], k=1).classes.tolist()
        [[0], [1]]
    """

    cosines: Tensor
    classes: Tensor
