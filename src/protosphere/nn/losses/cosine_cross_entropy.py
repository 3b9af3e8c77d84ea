"""Cross-entropy of the scaled cosines of z with all prototypes (NormFace)."""

from torch import Tensor

from protosphere.nn.functional import unit
from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss, cosine_scale
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection
from protosphere.nn.vectors import widened


def cosine_cross_entropy(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor
) -> Tensor:
    """Return the cross-entropy of the scaled cosines of z with all prototypes.

    Args:
        z: (..., n) vectors.
        target: (...) classes, or (..., K) probabilities.
        projection: The prototypes.
        scale: Factor by which cosines are multiplied to give logits.

    Returns:
        The mean over the examples that are not ignored.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("simplex", num_classes=3, dim=2))
        >>> round(float(cosine_cross_entropy(torch.ones(1, 2), torch.tensor([0]), projection, 1e-9)), 4)  # log 3
        1.0986
    """
    return projection.cross_entropy(scale * unit(widened(z)), target)


@loss(
    "cosine_cross_entropy",
    cosine_cross_entropy,
    summary="cross-entropy on scaled cosines",
    reference="Wang et al. (2017), NormFace",
)
class CosineCrossEntropy(PrototypeLoss):
    """Cross-entropy of the scaled cosines of z with all prototypes (NormFace).

    Args:
        head_or_code: Head whose projection is used, or a code.
        scale: Factor of the cosines: 'auto', 'learn' or a number.

    Example:
        >>> import torch
        >>> from protosphere.nn import PrototypeHead
        >>> head = PrototypeHead(10, dim=9)
        >>> loss = CosineCrossEntropy(head)
        >>> bool(loss(head.prototypes(), torch.arange(10)) < 0.011)  # probability 0.99
        True
    """

    def __init__(self, head_or_code: HeadOrCode, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the examples that are not ignored (target -100).

        Args:
            z: (..., n) vectors.
            target: (...) classes, or (..., K) probabilities.
        """
        return cosine_cross_entropy(z, target, self.projection, self.scaling.value)
