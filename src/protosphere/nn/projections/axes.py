"""Prototypes along the axes, +e_i or -e_i: a dot product is a coordinate."""

import torch
from torch import Tensor, nn

from protosphere.nn.projections.part import Tile
from protosphere.nn.streaming import tiled_log_sum_exp


class AxesPart(nn.Module):
    """Word k is signs[k] e_(axes[k]): one-hot vectors, cross-polytopes, in any order. O(K)."""

    antipodal = False
    axes: Tensor
    signs: Tensor

    def __init__(self, axes: Tensor, signs: Tensor, dim: int) -> None:
        super().__init__()
        self.num_words, self.dim = len(axes), dim
        self.register_buffer("axes", axes, persistent=False)
        self.register_buffer("signs", signs, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """The coordinates with their signs."""
        return z.index_select(1, self.axes) * self.signs.to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The words of these numbers."""
        rows = torch.zeros(len(index), self.dim, dtype=like.dtype, device=self.signs.device)
        return rows.scatter(1, self.axes[index][:, None], self.signs[index][:, None].to(like.dtype))

    def tiles(self, batch: int) -> list[Tile]:
        """All at once: there are at most 2n words."""
        del batch
        return [(0, self.num_words)]

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """All products: (1, B, num_words)."""
        del tile
        return self(z)[None]

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of all words."""
        del tile
        return self.weighted_sum(weights[0])

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of the words with these weights, B x num_words."""
        signed = weights * self.signs.to(weights.dtype)
        return signed.new_zeros(len(signed), self.dim).index_add_(1, self.axes, signed)

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Of all products of each row, and the mean word."""
        return tiled_log_sum_exp(z, self, with_mean)

    def top(self, z: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k largest products."""
        return self(z).topk(k, dim=1)
