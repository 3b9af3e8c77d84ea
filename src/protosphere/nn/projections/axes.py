"""Block of prototypes +e_i or -e_i, whose dot products with z are the coordinates of z up to the sign."""

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock


class AxesBlock(nn.Module, ProjectionBlock):
    """Block of points that have a single nonzero coordinate, which is +1 or -1.

    One-hot vectors and cross-polytopes, in any order, consist of such points. The time for the dot products of a vector
    with all P points is O(P).

    Args:
        axes: For each point, the index of its nonzero coordinate.
        signs: For each point, the value of this coordinate, +1 or -1.
        dim: Dimension n.
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

        Each dot product is a coordinate of the vector times a sign.
        """
        return z.index_select(1, self.axes) * self.signs.to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with the indices in `index`, one per row, in the dtype of `like`."""
        shape = (index.shape[0], self.dim)
        zeros = torch.zeros(shape, dtype=like.dtype, device=self.signs.device)
        axes = self.axes[index][:, None]
        signs = self.signs[index][:, None].to(like.dtype)
        return zeros.scatter(1, axes, signs)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all P points, given the B x P `weights`."""
        signed = weights * self.signs.to(weights.dtype)
        zeros = signed.new_zeros(len(signed), self.dim)
        return zeros.index_add_(1, self.axes, signed)
