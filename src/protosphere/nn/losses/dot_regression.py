"""Squared error between a fixed radius and the dot product of z with the prototype of its class."""

from torch import Tensor

from protosphere.errors import as_positive
from protosphere.nn.functional import mean_of_kept, with_target_prototypes
from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection


def dot_regression(
    z: Tensor, target: Tensor, projection: Projection, radius: float = 1.0
) -> Tensor:
    """Return the mean of (d - radius)^2 / (2 radius), where d is the dot product of z with its target's prototype.

    z is not normalized. If z is a unit vector and the radius is 1, the loss is (1 - d)^2 / 2, and d is a cosine.

    Args:
        z: (..., n) vectors.
        target: (...) class indices. Examples with target -100 are ignored.
        projection: Module that holds the prototypes.
        radius: Value that the dot product d is trained to reach, above 0.

    Returns:
        The mean over the examples whose target is not -100, a scalar.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.losses import dot_regression
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))
        >>> float(dot_regression(torch.tensor([[3.0, 0.0]]), torch.tensor([0]), projection, 1.0))
        2.0
    """
    wide, own, kept = with_target_prototypes(z, target, projection)
    return mean_of_kept(((wide * own).sum(dim=-1) - radius).square(), kept) / (
        2 * radius
    )


@loss(
    "dot_regression",
    dot_regression,
    summary="(d - radius)^2 / (2 radius) for the dot product d of z with its target's prototype; z is not normalized",
    reference="Yang et al. (2022)",
)
class DotRegression(PrototypeLoss):
    """Mean of (d - radius)^2 / (2 radius), where d is the dot product of z with its target's prototype.

    z is not normalized. The loss of an example is 0 if d equals the radius.

    Args:
        head_or_code: Head or code with the prototypes.
        radius: Value that the dot product d is trained to reach, above 0.

    Raises:
        InvalidArgumentError: If the radius is not above 0.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn import DotRegression
        >>> loss = DotRegression(ps.construct("cross_polytope", num_classes=4, dim=2), radius=1.0)
        >>> float(loss(torch.tensor([[3.0, 0.0]]), torch.tensor([0])))
        2.0
    """

    def __init__(self, head_or_code: HeadOrCode, radius: float = 1.0) -> None:
        super().__init__(head_or_code)
        self.radius = as_positive("radius", radius)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean of (d - radius)^2 / (2 radius) over the examples whose target is not -100.

        Here d is the dot product of z with the prototype of its target.

        Args:
            z: (..., n) vectors.
            target: (...) class indices. Examples with target -100 are ignored.
        """
        return dot_regression(z, target, self.projection, self.radius)
