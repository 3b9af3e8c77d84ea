"""How surely an input is of a known class: a threshold for the scores of `PrototypeHead.score`, high for known inputs.

max_cosine: the cosine with the nearest prototype. margin: how much less the second nearest has. energy: the log-sum-exp
of the logits (Liu et al. 2020), which also counts how long z is where a preset does not normalise it.
"""

import math

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError

ROUNDING = 1e-9
"""Of a share times a count: .07 of 100 is 7, not 8."""


def threshold_at_tpr(known: Tensor, accept: float = 0.95) -> float:
    """The highest threshold that at least the share `accept` of the scores of known inputs reach.

    >>> threshold_at_tpr(torch.tensor([0.1, 0.5, 0.7, 0.9]), accept=0.75)
    0.5
    """
    if not 0 < accept <= 1:
        raise InvalidArgumentError(
            f"'accept' must be above 0 and at most 1, got {accept!r}"
        )
    if known.ndim != 1 or not len(known) or not bool(torch.isfinite(known).all()):
        raise InvalidArgumentError(
            f"'known' must be a vector of finite scores, got shape {tuple(known.shape)}"
        )
    needed = max(1, math.ceil(accept * len(known) - ROUNDING))
    return float(known.double().sort(descending=True).values[needed - 1])
