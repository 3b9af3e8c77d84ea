"""Block of prototypes that are vectors of the standard basis, or their negatives.

A block has some or all prototypes of a code as its P points.
"""

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock


class AxesBlock(nn.Module, ProjectionBlock):
    """Block of points that have a single nonzero coordinate, which is +1 or -1.

    The points of one-hot codes and of cross-polytopes are of this kind, in any order. The time for the dot products of
    a vector with all P points is O(P).

    Args:
        axes: For each point, the index of its nonzero coordinate.
        signs: For each point, the value of this coordinate, +1 or -1.
        dim: Dimension n of the points.
    """

    kind = "axes"
    axes: Tensor
    signs: Tensor

    def __init__(self, axes: Tensor, signs: Tensor, dim: int) -> None:
        super().__init__()
        self.num_points = len(axes)
        self.scores_per_row = self.num_points
        self.dim = dim
        self.register_buffer("axes", axes, persistent=False)
        self.register_buffer("signs", signs, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of B x n vectors z with all P points.

        Each dot product is the coordinate of the vector at which the point is nonzero, times the sign of the point.
        """
        return z.index_select(1, self.axes) * self.signs.to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with given indices, one per row.

        Args:
            index: Vector of indices of points in the block.
            like: Tensor whose dtype the points get.
        """
        shape = (index.shape[0], self.dim)
        zeros = torch.zeros(shape, dtype=like.dtype, device=self.signs.device)
        axes = self.axes[index][:, None]
        signs = self.signs[index][:, None].to(like.dtype)
        return zeros.scatter(1, axes, signs)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all P points.

        Args:
            weights: B x P weights of the points, one row for each sum.
        """
        signed = weights * self.signs.to(weights.dtype)
        zeros = signed.new_zeros(len(signed), self.dim)
        return zeros.index_add_(1, self.axes, signed)
