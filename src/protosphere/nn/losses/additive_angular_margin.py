"""Cross-entropy with a margin added to the angle between z and the prototype of its target class (ArcFace)."""

import math

import torch
from torch import Tensor

from protosphere.nn.functional import SMALLEST_NORM, mean_of_kept, target_cosines
from protosphere.nn.losses.margins import harder_cross_entropy, limited_margin
from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss, cosine_scale
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection


def additive_angular_margin(
    z: Tensor,
    target: Tensor,
    projection: Projection,
    scale: float | Tensor,
    margin: float,
) -> Tensor:
    """Return the cross-entropy of scaled cosines after adding a margin to the angle of z with the target prototype.

    The logits are the scaled cosines of z with all prototypes. Only the logit of the target class is changed by the
    margin. If the angle with the target prototype plus the margin exceeds pi, the cosine c of this sum is replaced by
    -2 - c, so that the loss still grows with the angle.

    Args:
        z: (..., n) vectors.
        target: (...) class indices. Examples with target -100 are ignored.
        projection: Projection that holds the prototypes.
        scale: Factor by which cosines are multiplied to give logits.
        margin: The margin in radians.

    Returns:
        The mean over the examples whose target is not -100, a scalar.

    Example:
        >>> import math, protosphere as ps, torch
        >>> from protosphere.nn.losses import additive_angular_margin
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=2, dim=1))
        >>> z, target = torch.tensor([[2.0]]), torch.tensor([0])
        >>> round(float(additive_angular_margin(z, target, projection, 1.0, math.pi / 3)), 2)  # log(1 + exp(-1 - 1/2))
        0.2
    """
    on_sphere, own, kept = target_cosines(z, target, projection)
    return mean_of_kept(
        harder_cross_entropy(
            on_sphere, own, cosine_after(own, margin), projection, scale
        ),
        kept,
    )


def cosine_after(cosine: Tensor, margin: float) -> Tensor:
    """Return cos(angle + margin) for angles given by their cosines, without computing an arccosine.

    Args:
        cosine: Cosines of the angles, a tensor of any shape.
        margin: Angle to add, in radians. If an angle plus the margin exceeds pi, the result is -2 - cos(angle + margin)
            instead, so that the result decreases as the angle grows from 0 to pi.
    """
    within = cosine.clamp(-1.0, 1.0)
    sine = (1 - within.square()).clamp(SMALLEST_NORM).sqrt()
    turned = within * math.cos(margin) - sine * math.sin(margin)
    return torch.where(within > -math.cos(margin), turned, -2 - turned)


@loss(
    "additive_angular_margin",
    additive_angular_margin,
    summary="cross-entropy on scaled cosines after adding a margin in radians to the target's angle",
    reference="Deng et al. (2019), ArcFace",
)
class AdditiveAngularMargin(PrototypeLoss):
    """Cross-entropy of scaled cosines after adding a margin to the angle of z with the target prototype (ArcFace).

    The logits are the scaled cosines of z with all prototypes. Only the logit of the target class is changed by the
    margin.

    Args:
        head_or_code: Head or code with the prototypes.
        margin: The margin in radians, above 0 and below the smallest angle between two prototypes.
        scale: Factor by which cosines are multiplied to give logits: a number, 'auto' or 'learn'. Let s be the scale at
            which a vector equal to the prototype of its class has a probability of at least 0.99. 'auto' means the
            scale of the head if `head_or_code` is a head that learns its scale, and s in all other cases. 'learn' means
            a trained parameter with the initial value s.

    Raises:
        InvalidArgumentError: If the margin is not above 0 and below the smallest angle between two prototypes.

    Example:
        >>> import math, protosphere as ps, torch
        >>> from protosphere.nn import AdditiveAngularMargin
        >>> code = ps.construct("cross_polytope", num_classes=2, dim=1)
        >>> loss = AdditiveAngularMargin(code, margin=math.pi / 3, scale=1.0)
        >>> round(float(loss(torch.tensor([[2.0]]), torch.tensor([0]))), 2)  # log(1 + exp(-1 - 1/2))
        0.2
    """

    def __init__(
        self, head_or_code: HeadOrCode, margin: float = 0.2, scale: float | str = "auto"
    ) -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)
        limit = math.radians(self.code.min_angle_degrees)
        self.margin = limited_margin(margin, limit, "the smallest angle, in radians,")

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the examples whose target is not -100, a scalar.

        Args:
            z: (..., n) vectors.
            target: (...) class indices. Examples with target -100 are ignored.
        """
        return additive_angular_margin(
            z, target, self.projection, self.scaling.value, self.margin
        )
