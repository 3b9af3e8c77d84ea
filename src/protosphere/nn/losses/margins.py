"""Shared functions of the losses with a margin: the modified target logit, and the largest margin."""

import torch
from torch import Tensor
from torch.nn.functional import softplus

from protosphere.errors import InvalidArgumentError, as_positive
from protosphere.nn.projections import Projection

CERTAIN = -1e-7
"""Largest log-probability of the target; closer to 0, the share of the other classes would be lost to rounding."""


def harder_cross_entropy(
    on_sphere: Tensor,
    own: Tensor,
    harder: Tensor,
    projection: Projection,
    scale: float | Tensor,
) -> Tensor:
    """Return the cross-entropy of scaled cosines after replacing each target's cosine.

    Args:
        on_sphere: B x n unit vectors.
        own: B cosines of the vectors with their targets' prototypes.
        harder: B cosines that replace `own`.
        projection: The prototypes.
        scale: Factor by which cosines are multiplied to give logits.

    Returns:
        B losses.
    """
    everyone = projection.log_sum_exp(scale * on_sphere)
    others = everyone + torch.log(
        -torch.expm1((scale * own - everyone).clamp(max=CERTAIN))
    )
    return softplus(others - scale * harder)


def limited_margin(margin: float, limit: float, what: str) -> float:
    """Return the margin; refuse one that a vector at its prototype could not satisfy.

    Args:
        margin: The margin.
        limit: Upper limit of the margin, exclusive.
        what: Name of the limit in the error message.

    Raises:
        InvalidArgumentError: If the margin is not above 0 and below the limit.
    """
    if as_positive("margin", margin) < limit:
        return float(margin)
    raise InvalidArgumentError(
        f"'margin' must be below {limit:.6g}, {what} of the code's prototypes, got {margin}"
    )
