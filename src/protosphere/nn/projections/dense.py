"""Block of prototypes that are stored as the rows of a matrix. A block has some of the prototypes of a code.

A matrix works for every code. For few classes, it gives the fastest algorithm. A tile is a range of consecutive points
whose dot products are computed together: the pair (start, stop) means the points start, ..., stop - 1.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

import numpy as np
import torch
from torch import Tensor, nn

from protosphere.nn.kernels.buffers import as_tensor
from protosphere.nn.projections.block import ProjectionBlock, Tile, cuts
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Indices

TILE_ENTRIES = 1 << 19
"""Largest number of dot products in memory at a time: 2 MB in float32."""

CHUNK_ROWS = 1 << 14
"""Largest number of points of a code that are computed in float64 at a time."""


class DenseBlock(nn.Module, ProjectionBlock):
    """Block of P points in R^n that are stored as the rows of a matrix.

    A block has some of the prototypes of a code, or all of them.

    Args:
        weight: P x n matrix of the points.

    Attributes:
        weight: P x n matrix of the points.
    """

    kind = "matrix"
    weight: Tensor

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.num_points, self.dim = weight.shape
        self.scores_per_row = self.num_points
        self.register_buffer("weight", weight, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of vectors with all points.

        Args:
            z: B x n vectors.
        """
        return nn.functional.linear(z, self.weight.to(z.dtype))

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with given indices, one per row.

        Args:
            index: Vector of indices of points in the block.
            like: Tensor whose dtype the points get.
        """
        return self.weight[index].to(like.dtype)

    def tiles(self, batch: int) -> list[Tile]:
        """Return consecutive ranges of points that together contain all points.

        A range is a pair (start, stop) for the points start, ..., stop - 1. Ranges are so small that the dot products
        of their points with `batch` vectors fit in the cache.

        Args:
            batch: Number of vectors.
        """
        size = TILE_ENTRIES // max(1, batch)
        if self.num_points <= size:
            return [(0, self.num_points)]
        return cuts(self.num_points, size)

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and optionally a mean of the points.

        The mean is weighted by the softmax of the vector's dot products. It is the gradient of the log-sum-exp with
        respect to the vector.

        Args:
            z: B x n vectors.
            with_mean: If True, the means are computed. If False, they are not.

        Returns:
            B log-sum-exps, and B x n means. If `with_mean` is False, the second tensor is empty, B x 0.
        """
        if len(z) * self.num_points > TILE_ENTRIES:
            return super().log_sum_exp(z, with_mean)
        weight = self.weight.to(z.dtype)
        products = z @ weight.T
        value = products.logsumexp(1)
        if not with_mean:
            return value, z.new_empty(len(z), 0)
        return value, products.softmax(1) @ weight

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of vectors with the points in a range, as a (1, B, S) tensor for S points.

        Args:
            z: B x n vectors.
            tile: The pair (start, stop) for the points start, ..., stop - 1.
        """
        weight = self.weight[tile[0] : tile[1]].to(z.dtype)
        return (z @ weight.T)[None]

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n weighted sums of the points in a range.

        Args:
            weights: (1, B, S) tensor with B weights for each of the S points in the range.
            tile: The pair (start, stop) for the points start, ..., stop - 1.
        """
        weight = self.weight[tile[0] : tile[1]].to(weights.dtype)
        return weights[0] @ weight

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all points.

        Args:
            weights: B x P weights of the points, one row for each sum.
        """
        return weights @ self.weight.to(weights.dtype)


def matrix(code: SphericalCode, classes: Indices, dtype: torch.dtype) -> Tensor:
    """Return a matrix whose rows are the prototypes of some classes.

    Args:
        code: The prototypes of all classes.
        classes: Indices of the classes in ascending order, at least one.
        dtype: Dtype of the matrix. The points are computed in float64 in chunks and then converted.
    """
    weight = torch.empty(len(classes), code.dim, dtype=dtype)
    for start in range(0, len(classes), CHUNK_ROWS):
        chunk = classes[start : start + CHUNK_ROWS]
        first = int(chunk[0])
        last = int(chunk[-1]) + 1
        is_scattered = last - first > 4 * CHUNK_ROWS
        if is_scattered:
            rows = np.stack([code[int(c)] for c in chunk])
        else:
            rows = code.rows(first, last)[chunk - first]
        weight[start : start + len(chunk)] = as_tensor(rows)
    return weight
