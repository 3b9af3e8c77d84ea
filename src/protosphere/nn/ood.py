"""Thresholds for the in-distribution scores of `PrototypeHead.score`, which are high for known inputs.

max_cosine is the cosine with the nearest prototype. margin is that cosine minus the second largest. energy is the
log-sum-exp of the logits (Liu et al. 2020), which grows with the norm of z if the preset does not normalize it.
"""

import math

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError

ROUNDING = 1e-9
"""Tolerance for the rounding error of a fraction times a count, so that 0.07 of 100 scores is 7 and not 8."""


def threshold_at_tpr(known: Tensor, accept: float = 0.95) -> float:
    """Return the highest threshold that at least a fraction `accept` (the true positive rate) of known inputs reaches.

    Args:
        known: Scores of held-out known inputs.
        accept: True positive rate, above 0 and at most 1.

    Returns:
        The threshold: accept inputs whose score is at least this.

    Raises:
        InvalidArgumentError: If `accept` is out of range, or `known` is not a vector of finite scores.

    Example:
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
