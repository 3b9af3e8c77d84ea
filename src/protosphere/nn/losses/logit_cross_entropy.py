"""Cross-entropy on the logits of a head: what `torch.nn.functional.cross_entropy(head(z), target)` is."""

from torch import Tensor

from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection
from protosphere.spherical.spherical_code import SphericalCode


def logit_cross_entropy(z: Tensor, target: Tensor, projection: Projection) -> Tensor:
    """Return the cross-entropy on the dot products of z, not normalized, with every prototype.

    Args:
        z: (..., n) vectors.
        target: (...) classes, or (..., K) probabilities.
        projection: The prototypes.
    """
    return projection.cross_entropy(z, target)


@loss(
    "cross_entropy",
    logit_cross_entropy,
    summary="cross-entropy on the head's logits, z embedded and scaled as its preset says",
    reference="the last layer of any classifier",
)
class LogitCrossEntropy(PrototypeLoss):
    """Cross-entropy on the logits of a head, streaming; for a code, on the dot products with its points.

    Args:
        head_or_code: Head whose logits are trained, or a code.
    """

    def __init__(self, head_or_code: HeadOrCode) -> None:
        super().__init__(head_or_code)
        if isinstance(head_or_code, SphericalCode):
            self.embed = None
        else:
            self.embed = head_or_code.embed

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the batch.

        Args:
            z: (..., n) vectors.
            target: (...) classes, or (..., K) probabilities.
        """
        return logit_cross_entropy(
            z if self.embed is None else self.embed(z), target, self.projection
        )
