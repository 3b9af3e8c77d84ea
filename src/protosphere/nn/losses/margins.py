"""What losses with a margin share: the target's logit made harder, and how large a margin may be."""

import torch
from torch import Tensor
from torch.nn.functional import softplus

from protosphere.errors import InvalidArgumentError, as_positive
from protosphere.nn.projections import Projection

CERTAIN = -1e-7
"""The log-probability of the target is held this far below 0, where the others' share would be lost to rounding."""


def harder_cross_entropy(
    on_sphere: Tensor,
    own: Tensor,
    harder: Tensor,
    projection: Projection,
    scale: float | Tensor,
) -> Tensor:
    """Cross-entropies of scaled cosines with the target's, `own`, replaced: from the log-sum-exp of all the others."""
    everyone = projection.log_sum_exp(scale * on_sphere)
    others = everyone + torch.log(
        -torch.expm1((scale * own - everyone).clamp(max=CERTAIN))
    )
    return softplus(others - scale * harder)


def limited_margin(margin: float, limit: float, what: str) -> float:
    """The margin, if a z on its prototype can still satisfy it against the nearest other one."""
    if as_positive("margin", margin) < limit:
        return float(margin)
    raise InvalidArgumentError(
        f"'margin' must be below {limit:.6g}, {what} of the code's prototypes, got {margin}"
    )
