"""Thresholds for the in-distribution scores of `PrototypeHead.score`, which are high for inputs of known classes.

The score `max_cosine` is the cosine with the nearest prototype. The score `margin` is this cosine minus the cosine with
the second nearest prototype. The score `energy` is the log-sum-exp of the logits (Liu et al. 2020). It depends on the
norm of z, unless the preset divides z by its norm.
"""

import math

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError

ROUNDING = 1e-9
"""Tolerance for the rounding error of a fraction times a count, so that 0.07 of 100 scores is 7 and not 8."""


def threshold_at_tpr(known: Tensor, accept: float = 0.95) -> float:
    """Return the highest threshold at which at least a fraction `accept` of the known inputs is accepted.

    An input is accepted if its score is at least the threshold.

    Args:
        known: Vector of the scores of held-out inputs that belong to known classes.
        accept: Fraction of these inputs to accept (the true positive rate), above 0 and at most 1.

    Returns:
        The threshold.

    Raises:
        InvalidArgumentError: If `accept` is out of range, or `known` is not a vector of finite scores.

    Example:
        >>> import torch
        >>> from protosphere.nn import threshold_at_tpr
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
