"""Regression of the dot product with the prototype of the class."""

from torch import Tensor

from protosphere.errors import as_positive
from protosphere.nn.functional import mean_of_kept, with_target_prototypes
from protosphere.nn.losses.prototype_loss import HeadOrCode, PrototypeLoss
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection


def dot_regression(
    z: Tensor, target: Tensor, projection: Projection, radius: float = 1.0
) -> Tensor:
    """Return the mean of (z c_y - radius)^2 / (2 radius), with z not normalized.

    For unit z and radius 1 it is half the squared cosine distance.

    Args:
        z: (..., n) vectors.
        target: (...) classes; -100 does not count.
        projection: The prototypes.
        radius: Norm that z is trained to have.
    """
    wide, own, kept = with_target_prototypes(z, target, projection)
    return mean_of_kept(((wide * own).sum(dim=-1) - radius).square(), kept) / (
        2 * radius
    )


@loss(
    "dot_regression",
    dot_regression,
    summary="(z c_y - radius)^2 / (2 radius), z not normalized; the other classes take no part",
    reference="Yang et al. (2022)",
)
class DotRegression(PrototypeLoss):
    """(z c_y - radius)^2 / (2 radius): a loss that only attracts z to its prototype; z is not normalized.

    Args:
        head_or_code: Head whose projection is used, or a code.
        radius: Norm that z is trained to have, above 0.
    """

    def __init__(self, head_or_code: HeadOrCode, radius: float = 1.0) -> None:
        super().__init__(head_or_code)
        self.radius = as_positive("radius", radius)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the batch.

        Args:
            z: (..., n) vectors.
            target: (...) classes.
        """
        return dot_regression(z, target, self.projection, self.radius)
