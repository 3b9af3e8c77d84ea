"""The squared cosine distance to the prototype of the class."""

from torch import Tensor

from protosphere.nn.functional import mean_of_kept, target_cosines
from protosphere.nn.losses.prototype_loss import PrototypeLoss
from protosphere.nn.losses.registry import loss
from protosphere.nn.projections import Projection


def squared_cosine_distance(
    z: Tensor, target: Tensor, projection: Projection
) -> Tensor:
    """Return the mean of (1 - cos(z, c_y))^2, with c_y the prototype of the target.

    Args:
        z: (..., n) vectors.
        target: (...) classes; -100 does not count.
        projection: The prototypes.
    """
    _, cosines, kept = target_cosines(z, target, projection)
    return mean_of_kept((1 - cosines).square(), kept)


@loss(
    "squared_cosine",
    squared_cosine_distance,
    summary="(1 - cosine with the target's prototype)^2; the other classes take no part",
    reference="Mettes, van der Pol & Snoek (2019)",
)
class SquaredCosineDistance(PrototypeLoss):
    """(1 - cosine with the target's prototype)^2: only attracts, at the same cost for any number of classes.

    Args:
        head_or_code: Head whose projection is used, or a code.
    """

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """Return the mean loss over the batch.

        Args:
            z: (..., n) vectors.
            target: (...) classes.
        """
        return squared_cosine_distance(z, target, self.projection)
