"""The protocol of projection blocks, each of which holds some of the prototypes, and merged top-k lists."""

from typing import Protocol

import torch
from torch import Tensor

from protosphere.nn.kernels.torch_ops import tiled_log_sum_exp

Tile = tuple[int, int]
"""First and one past the last unit of a tile; each kind of block has units of its own, such as rows or cosets."""

TopK = tuple[Tensor, Tensor]
"""Values and indices, both B x k."""


class ProjectionBlock(Protocol):
    """Consecutive points of a projection, all of one kind, with the tensor operations on them.

    All methods except a call take tensors without gradients and never half types. A block of few points inherits the
    defaults here, in which all points are one tile.

    Attributes:
        num_points: P, the number of points.
        dim: n.
        antipodal: Whether one score stands for two points: a point and, negated, its antipode.
    """

    num_points: int
    dim: int
    antipodal: bool = False

    @property
    def scores_per_row(self) -> int:
        """Number of products that are computed for each vector."""
        return self.num_points

    def __call__(self, z: Tensor) -> Tensor:
        """Return the B x P dot products, in the dtype of z, differentiable and traceable."""
        ...

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points of these indices, one per row, with the dtype of `like`."""
        ...

    def tiles(self, batch: int) -> list[Tile]:
        """Return tiles of the points whose scores of `batch` vectors stay in cache."""
        del batch
        return [(0, self.num_points)]

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return dot products with the points of a tile, in any order.

        Returns:
            A tensor of shape (any, B, any) that the caller may overwrite.
        """
        del tile
        return self(z)[None]

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n sums of the points of a tile, with weights in the order of their scores."""
        del tile
        return self.weighted_sum(weights[0])

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the dot products of z with every point into `out`, B x P."""
        out.copy_(self(z))

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n sums of all points with weights B x P."""
        ...

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of the products of each vector, and its gradient if `with_mean`."""
        return tiled_log_sum_exp(z, self, with_mean)

    def top_k(self, z: Tensor, k: int) -> TopK:
        """Return the k <= P largest dot products of each vector, descending, and the indices of their points."""
        found = empty_top_k(z)
        for tile in self.tiles(len(z)):
            scores = self.scores(z, tile)[0]
            values, index = scores.topk(min(k, scores.shape[1]), dim=1)
            found = merged_top_k(found, (values, index + tile[0]), k)
        return found


def cuts(stop: int, size: int, start: int = 0) -> list[Tile]:
    """Return `start` to `stop` cut into tiles of `size`, at least 1; the last one may be shorter."""
    step = max(1, size)
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]


def empty_top_k(z: Tensor) -> TopK:
    """Return B x 0 values and indices, to which lists are merged."""
    values = z.new_empty(len(z), 0)
    indices = z.new_empty(len(z), 0, dtype=torch.int64)
    return values, indices


def merged_top_k(first: TopK, second: TopK, k: int) -> TopK:
    """Return the k largest values of two lists, descending; among equals those of the first list come first.

    Args:
        first: At most k values per row and their indices.
        second: The same for other points.
        k: The number of values wanted.
    """
    if first[0].shape[1] == 0:
        return second
    values = torch.cat([first[0], second[0]], dim=1)
    index = torch.cat([first[1], second[1]], dim=1)
    order = values.sort(dim=1, descending=True, stable=True).indices[:, :k]
    return values.gather(1, order), index.gather(1, order)
