"""Prototypes as a matrix: what serves every code, and the fastest for few classes."""

import numpy as np
import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock, Tile, cuts
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Indices

TILE_ENTRIES = 1 << 19
"""Scores held at once, 2 MB in float32."""

CHUNK_ROWS = 1 << 14


class DenseBlock(nn.Module, ProjectionBlock):
    """The rows of a matrix; a score is one product of z with it."""

    weight: Tensor

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.num_words, self.dim = weight.shape
        self.register_buffer("weight", weight, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """The products with every row."""
        return nn.functional.linear(z, self.weight.to(z.dtype))

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The rows of these numbers."""
        return self.weight[index].to(like.dtype)

    def tiles(self, batch: int) -> list[Tile]:
        """Cuts of the rows."""
        return cuts(self.num_words, TILE_ENTRIES // max(1, batch))

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """The products with the rows of a tile: (1, B, rows)."""
        return (z @ self.weight[tile[0] : tile[1]].to(z.dtype).T)[None]

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the rows of a tile."""
        return weights[0] @ self.weight[tile[0] : tile[1]].to(weights.dtype)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of all rows with weights B x num_words."""
        return weights @ self.weight.to(weights.dtype)


def matrix(code: SphericalCode, classes: Indices, dtype: torch.dtype) -> Tensor:
    """The points of these classes, in rising order, as rows; never more than a chunk of them in float64."""
    weight = torch.empty(len(classes), code.dim, dtype=dtype)
    for start in range(0, len(classes), CHUNK_ROWS):
        chunk = classes[start : start + CHUNK_ROWS]
        first = int(chunk[0])
        last = int(chunk[-1]) + 1
        apart = last - first > 4 * CHUNK_ROWS
        if apart:
            rows = np.stack([code[int(c)] for c in chunk])
        else:
            rows = code.rows(first, last)[chunk - first]
        weight[start : start + len(chunk)] = torch.from_numpy(rows)  # pyright: ignore[reportUnknownMemberType]
    return weight
