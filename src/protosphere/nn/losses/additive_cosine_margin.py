"""Cross-entropy with a margin subtracted from the cosine of z with its target's prototype (CosFace)."""

from torch import Tensor

from protosphere.nn.functional import mean_of_kept, target_cosines
from protosphere.nn.losses.margins import harder_cross_entropy, limited_margin
from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss, cosine_scale
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection


def additive_cosine_margin(
    z: Tensor,
    target: Tensor,
    projection: Projection,
    scale: float | Tensor,
    margin: float,
) -> Tensor:
    """Return the mean cross-entropy of scaled cosines, with a margin subtracted from the cosine with the target.

    The logits are the scaled cosines of z with all prototypes. Only the logit of the target class is changed by the
    margin.

    Args:
        z: (..., n) vectors of any norm.
        target: (...) class indices. Examples with target -100 are ignored.
        projection: Module that holds the K prototypes and computes dot products with them.
        scale: Factor by which cosines are multiplied to give logits.
        margin: Number that is subtracted from the cosine of z with the prototype of its target class.

    Returns:
        The mean over the examples whose target is not -100, a scalar.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.losses import additive_cosine_margin
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=2, dim=1))
        >>> z, target = torch.tensor([[2.0]]), torch.tensor([0])
        >>> round(float(additive_cosine_margin(z, target, projection, 1.0, 0.5)), 4)  # log(1 + exp(-1 - 0.5))
        0.2014
    """
    on_sphere, own, kept = target_cosines(z, target, projection)
    return mean_of_kept(
        harder_cross_entropy(on_sphere, own, own - margin, projection, scale), kept
    )


@loss(
    "additive_cosine_margin",
    additive_cosine_margin,
    summary="cross-entropy on scaled cosines after subtracting a margin from the target's cosine",
    reference="Wang et al. (2018), CosFace",
)
class AdditiveCosineMargin(PrototypeLoss):
    """Cross-entropy of scaled cosines after subtracting a margin from the cosine with the target prototype (CosFace).

    The logits are the scaled cosines of z with all prototypes. Only the logit of the target class is changed by the
    margin.

    Args:
        head_or_code: `PrototypeHead` or `SphericalCode` with the prototypes.
        margin: Number that is subtracted from the cosine of z with the prototype of its target class. It must be above
            0 and below 1 minus the maximum cosine between two prototypes.
        scale: Factor by which cosines are multiplied to give logits: a number, 'auto' or 'learn'. Let s be the scale at
            which a vector equal to the prototype of its class has a probability of at least 0.99. 'auto' means the
            scale of the head if `head_or_code` is a head that learns its scale, and s in all other cases. 'learn' means
            a trained parameter with the initial value s.

    Raises:
        InvalidArgumentError: If the margin is not above 0 and below 1 minus the maximum cosine between two prototypes.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn import AdditiveCosineMargin
        >>> loss = AdditiveCosineMargin(ps.construct("cross_polytope", num_classes=2, dim=1), margin=0.5, scale=1.0)
        >>> round(float(loss(torch.tensor([[2.0]]), torch.tensor([0]))), 4)  # log(1 + exp(-1 - 0.5))
        0.2014
    """

    def __init__(
        self, head_or_code: HeadOrCode, margin: float = 0.2, scale: float | str = "auto"
    ) -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)
        self.margin = limited_margin(
            margin, 1 - float(self.code.max_cosine), "1 - max cosine"
        )

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the examples whose target is not -100.

        Args:
            z: (..., n) vectors of any norm.
            target: (...) class indices. Examples with target -100 are ignored.
        """
        return additive_cosine_margin(
            z, target, self.projection, self.scaling.value, self.margin
        )
