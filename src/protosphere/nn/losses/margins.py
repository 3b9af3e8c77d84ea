"""Functions that the losses with a margin share.

`harder_cross_entropy` is the cross-entropy with a smaller cosine for the target class. `limited_margin` checks the size
of a margin.
"""

import torch
from torch import Tensor
from torch.nn.functional import softplus

from protosphere.errors import InvalidArgumentError, as_positive
from protosphere.nn.projections import Projection

CERTAIN = -1e-7
"""Upper limit of the log-probability of the target class.

For values closer to 0, the probability of the other classes would be lost to rounding.
"""


def harder_cross_entropy(
    on_sphere: Tensor,
    own: Tensor,
    harder: Tensor,
    projection: Projection,
    scale: float | Tensor,
) -> Tensor:
    """Return the cross-entropy of scaled cosines, where `harder` replaces the cosines with the target prototypes.

    Args:
        on_sphere: B x n unit vectors.
        own: B cosines of the vectors with the prototypes of their target classes.
        harder: B numbers that replace `own` in the logits. They are smaller than `own`, because a margin has been
            applied.
        projection: Projection that holds the prototypes, and computes sums over all of them.
        scale: Factor by which cosines are multiplied to give logits.

    Returns:
        B losses, one per example.
    """
    everyone = projection.log_sum_exp(scale * on_sphere)
    others = everyone + torch.log(
        -torch.expm1((scale * own - everyone).clamp(max=CERTAIN))
    )
    return softplus(others - scale * harder)


def limited_margin(margin: float, limit: float, what: str) -> float:
    """Return the margin of a loss as a float after checking that it is above 0 and below the limit.

    If the margin is below the limit, a vector equal to the prototype of its class is still classified correctly after
    the margin has been applied.

    Args:
        margin: The margin.
        limit: Number that the margin must be below.
        what: Words that describe the limit in the error message.

    Raises:
        InvalidArgumentError: If the margin is not above 0 and below the limit.
    """
    if as_positive("margin", margin) < limit:
        return float(margin)
    raise InvalidArgumentError(
        f"'margin' must be below {limit:.6g}, {what} of the code's prototypes, got {margin}"
    )
