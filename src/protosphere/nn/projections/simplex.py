"""The regular simplex in its closed form: every dot product by one running sum."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from protosphere.nn.projections.part import Tile
from protosphere.nn.projections.whole_stream import WholeStream
from protosphere.nn.streaming import tiled_log_sum_exp, widened


class SimplexPart(nn.Module):
    """Point i of K stands in coordinate j = 1, ..., K-1 at f_j for i < j, at -j f_j for i = j, at 0 for i > j.

    f_j = sqrt(K / ((K-1) j (j+1))), see `constructions.simplex`. So z . c_i = sum_{j > i} f_j z_j - i f_i z_i: O(K).
    """

    antipodal = False
    steps: Tensor

    def __init__(self, num_words: int, dim: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.num_words, self.dim = num_words, dim
        j = torch.arange(1, num_words, dtype=torch.float64)
        steps = torch.sqrt(num_words / ((num_words - 1) * j * (j + 1)))
        self.register_buffer("steps", steps.to(dtype), persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """The products with every point."""
        wide = widened(z)
        stepped = wide[:, : self.num_words - 1] * self.steps.to(wide.dtype)
        after = stepped.flip(1).cumsum(1).flip(1)
        own = stepped * torch.arange(1, self.num_words, dtype=wide.dtype, device=z.device)
        nothing = torch.zeros_like(wide[:, :1])
        return (torch.cat([after, nothing], dim=1) - torch.cat([nothing, own], dim=1)).to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The points of these numbers."""
        j = torch.arange(1, self.num_words, device=self.steps.device)
        own = -j * self.steps * (index[:, None] == j)
        rows = own + self.steps * (index[:, None] < j)
        return nn.functional.pad(rows.to(like.dtype), (0, self.dim - self.num_words + 1))

    def tiles(self, batch: int) -> list[Tile]:
        """All at once: there are at most n + 1 points."""
        del batch
        return [(0, self.num_words)]

    def stream(self, z: Tensor) -> WholeStream:
        """All products at once."""
        return WholeStream(z, self, self.weighted_sum)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of the points with weights g: f_j (g_0 + ... + g_(j-1) - j g_j) in coordinate j."""
        each, steps = weights, self.steps.to(weights.dtype)
        j = torch.arange(1, self.num_words, dtype=each.dtype, device=each.device)
        sums = steps * (each.cumsum(1)[:, :-1] - j * each[:, 1:])
        return nn.functional.pad(sums, (0, self.dim - self.num_words + 1))

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Of all products of each row, and the mean word."""
        return tiled_log_sum_exp(z, self, with_mean)

    def word_sum(self, weights: Tensor) -> Tensor:
        """The sum of all points."""
        return self.weighted_sum(weights[None])[0]

    def top(self, z: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k largest products."""
        return self(z).topk(k, dim=1)
