"""Cross-entropy on scaled cosines."""

from torch import Tensor

from protosphere.nn.functional import unit
from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss, cosine_scale
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection
from protosphere.nn.streaming.log_sum_exp import widened


def cosine_cross_entropy(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor
) -> Tensor:
    """Cross-entropy on the scaled cosines of z with every prototype."""
    return projection.cross_entropy(scale * unit(widened(z)), target)


@loss(
    "cosine_cross_entropy",
    cosine_cross_entropy,
    summary="cross-entropy on scaled cosines",
    reference="Wang et al. (2017), NormFace",
)
class CosineCrossEntropy(PrototypeLoss):
    """Cross-entropy on scaled cosines."""

    def __init__(self, head_or_code: HeadOrCode, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return cosine_cross_entropy(z, target, self.projection, self.scaling.value)
