"""Squared cosine distance between z and the prototype of its class."""

from torch import Tensor

from protosphere.nn.functional import mean_of_kept, target_cosines
from protosphere.nn.losses.prototype_loss import PrototypeLoss
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection


def squared_cosine_distance(
    z: Tensor, target: Tensor, projection: Projection
) -> Tensor:
    """Return the mean of (1 - c)^2 over examples, where c is the cosine of z with the prototype of the target.

    Args:
        z: (..., n) vectors, one for each example.
        target: (...) class indices, one for each example. Examples with target -100 are left out of the mean.
        projection: Projection that holds the prototypes.

    Returns:
        The mean, as a scalar tensor.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.losses import squared_cosine_distance
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))
        >>> float(squared_cosine_distance(torch.tensor([[0.0, 2.0]]), torch.tensor([0]), projection))
        1.0
    """
    _, cosines, kept = target_cosines(z, target, projection)
    return mean_of_kept((1 - cosines).square(), kept)


@loss(
    "squared_cosine",
    squared_cosine_distance,
    summary="(1 - cosine with the target's prototype)^2; the loss does not depend on the other prototypes",
    reference="Mettes, van der Pol & Snoek (2019)",
)
class SquaredCosineDistance(PrototypeLoss):
    """Mean of (1 - c)^2 over examples, where c is the cosine of z with the prototype of the target.

    The loss does not depend on the prototypes of the other classes.

    Args:
        head_or_code: Head or code with the prototypes.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn import SquaredCosineDistance
        >>> loss = SquaredCosineDistance(ps.construct("cross_polytope", num_classes=4, dim=2))
        >>> float(loss(torch.tensor([[0.0, 2.0]]), torch.tensor([0])))
        1.0
    """

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean of (1 - c)^2 over examples, where c is the cosine of z with the prototype of the target.

        Args:
            z: (..., n) vectors, one for each example.
            target: (...) class indices, one for each example. Examples with target -100 are left out of the mean.
        """
        return squared_cosine_distance(z, target, self.projection)
