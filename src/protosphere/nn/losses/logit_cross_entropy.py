"""Cross-entropy of the logits of a head, equal to `torch.nn.functional.cross_entropy(head(z), target)`."""

from torch import Tensor

from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection
from protosphere.spherical.spherical_code import SphericalCode


def logit_cross_entropy(z: Tensor, target: Tensor, projection: Projection) -> Tensor:
    """Return the cross-entropy of the dot products of z with all prototypes.

    The dot products are used as logits. z is not normalized.

    Args:
        z: (..., n) vectors.
        target: (...) class indices, or (..., K) probabilities of the classes. Examples with target -100 are ignored.
        projection: Module that holds the prototypes.

    Returns:
        The mean over the examples that are not ignored, a scalar.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.losses import logit_cross_entropy
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("simplex", num_classes=3, dim=2))
        >>> round(float(logit_cross_entropy(torch.zeros(1, 2), torch.tensor([0]), projection)), 4)  # log 3
        1.0986
    """
    return projection.cross_entropy(z, target)


@loss(
    "cross_entropy",
    logit_cross_entropy,
    summary="cross-entropy on the head's logits, which depend on its preset",
    reference="the last layer of any classifier",
)
class LogitCrossEntropy(PrototypeLoss):
    """Cross-entropy of the logits of a head, or of the dot products with the points of a code.

    For large K, the loss is computed in blocks of classes, so that the B x K logits are not in memory at once.

    Args:
        head_or_code: A head or a code. For a head, the loss uses the logits of the head. For a code, it uses the dot
            products of z with the points of the code.

    Example:
        >>> import torch
        >>> from protosphere.nn import LogitCrossEntropy, PrototypeHead
        >>> loss = LogitCrossEntropy(PrototypeHead(3, dim=2))
        >>> round(float(loss(torch.zeros(1, 2), torch.tensor([0]))), 4)  # log 3
        1.0986
    """

    def __init__(self, head_or_code: HeadOrCode) -> None:
        super().__init__(head_or_code)
        if isinstance(head_or_code, SphericalCode):
            self.embed = None
        else:
            self.embed = head_or_code.embed

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean cross-entropy over the examples that are not ignored.

        Args:
            z: (..., n) vectors, from which the logits are computed.
            target: (...) class indices, or (..., K) probabilities of the classes. Examples with target -100 are
                ignored.
        """
        return logit_cross_entropy(
            z if self.embed is None else self.embed(z), target, self.projection
        )
