"""A stream in one tile, for parts with no more words than a few times n."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from protosphere.nn.projections.part import Tile


@dataclass(frozen=True, eq=False)
class WholeStream:
    """All products, `project` of z, and their transpose, `transposed`."""

    z: Tensor
    project: Callable[[Tensor], Tensor]
    transposed: Callable[[Tensor], Tensor]

    def scores(self, tile: Tile) -> Tensor:
        """All products: (1, B, num_words)."""
        del tile
        return self.project(self.z)[None]

    def spare(self, scores: Tensor) -> Tensor:
        """Memory of the shape of the scores."""
        return torch.empty_like(scores)

    def weighted_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of all words."""
        del tile
        return self.transposed(weights[0])
