"""Thresholds for the in-distribution scores of `PrototypeHead.score`, which are high for inputs of known classes.

Each score is a number for one vector z. The score `max_cosine` is the cosine of z with the nearest prototype. The score
`margin` is the score `max_cosine` minus the cosine with the second nearest prototype. The score `energy` is the
log-sum-exp of the logits (Liu et al. 2020). The scores `max_cosine` and `margin` do not depend on the norm of z. The
score `energy` does, unless the preset of the head is 'mettes'.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

import math

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from protosphere.errors import InvalidArgumentError, brief

ROUNDING = 1e-9
"""Tolerance for the rounding error of a fraction times a count, so that 0.07 of 100 scores is 7 and not 8."""


def threshold_at_tpr(known: Tensor | ArrayLike, accept: float = 0.95) -> float:
    """Return the highest threshold at which at least a fraction `accept` of the known inputs is accepted.

    An input is accepted if its score is at least the threshold.

    Args:
        known: Vector of the scores of held-out inputs that belong to known classes: a tensor, an array or a list.
        accept: Fraction of these inputs to accept (the true positive rate), above 0 and at most 1.

    Returns:
        The threshold.

    Raises:
        InvalidArgumentError: If `accept` is out of range, or `known` is empty or not a vector of finite scores.

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
    scores = _as_scores(known)
    if scores.ndim != 1 or not len(scores):
        raise InvalidArgumentError(
            f"'known' must be a vector of finite scores, got shape {tuple(scores.shape)}"
        )
    if not bool(torch.isfinite(scores).all()):
        found = "NaN" if bool(scores.isnan().any()) else "infinity"
        raise InvalidArgumentError(
            f"'known' must be a vector of finite scores, got {found} among them"
        )
    needed = max(1, math.ceil(accept * len(scores) - ROUNDING))
    return float(scores.double().sort(descending=True).values[needed - 1])


def _as_scores(known: Tensor | ArrayLike) -> Tensor:
    if isinstance(known, Tensor):
        return known
    try:
        return torch.as_tensor(known, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        raise InvalidArgumentError(
            f"'known' must be a vector of finite scores, got {brief(known)}"
        ) from None
