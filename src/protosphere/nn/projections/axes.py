"""Prototypes along the axes, +e_i or -e_i: a dot product is a coordinate."""

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock


class AxesBlock(nn.Module, ProjectionBlock):
    """Word k is signs[k] e_(axes[k]): one-hot vectors, cross-polytopes, in any order. O(K)."""

    axes: Tensor
    signs: Tensor

    def __init__(self, axes: Tensor, signs: Tensor, dim: int) -> None:
        super().__init__()
        self.num_words = len(axes)
        self.dim = dim
        self.register_buffer("axes", axes, persistent=False)
        self.register_buffer("signs", signs, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """The coordinates with their signs."""
        return z.index_select(1, self.axes) * self.signs.to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The words of these numbers."""
        rows = torch.zeros(
            index.shape[0], self.dim, dtype=like.dtype, device=self.signs.device
        )
        return rows.scatter(
            1, self.axes[index][:, None], self.signs[index][:, None].to(like.dtype)
        )

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of the words with these weights, B x num_words."""
        signed = weights * self.signs.to(weights.dtype)
        return signed.new_zeros(len(signed), self.dim).index_add_(1, self.axes, signed)
