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
        target: (...) class indices, or (..., K) probabilities of the classes. Examples with class index -100 are
            ignored.
        projection: Module that computes dot products with the prototypes.
        scale: Factor by which cosines are multiplied to give logits.

    Returns:
        The mean loss over the examples that are not ignored, a scalar.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.losses import cosine_cross_entropy
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
        head_or_code: Head or code with the prototypes.
        scale: Factor by which cosines are multiplied to give logits: a number, 'auto' or 'learn'. Let s be the scale at
            which a vector equal to the prototype of its class has a probability of at least 0.99. 'auto' means the
            scale of the head if `head_or_code` is a head that learns its scale, and s in all other cases. 'learn' means
            a trained parameter with the initial value s.

    Example:
        >>> import torch
        >>> from protosphere.nn import CosineCrossEntropy, PrototypeHead
        >>> head = PrototypeHead(10, dim=9)
        >>> loss = CosineCrossEntropy(head)
        >>> bool(loss(head.prototypes(), torch.arange(10)) < 0.011)  # -log(0.99) = 0.01005
        True
    """

    def __init__(self, head_or_code: HeadOrCode, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the examples that are not ignored, a scalar.

        Args:
            z: (..., n) vectors.
            target: (...) class indices, or (..., K) probabilities of the classes. Examples with class index -100 are
                ignored.
        """
        return cosine_cross_entropy(z, target, self.projection, self.scaling.value)
