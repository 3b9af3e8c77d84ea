"""The protocol of projection blocks, each of which holds some of the prototypes, and what follows from their scores.

log sum_k exp(z c_k) is summed tile by tile against a running maximum, and with it its gradient sum_k p_k c_k, so that
every dot product is computed once. Milakov & Gimelshein (2018), Online normalizer calculation for softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from protosphere.nn.tracing import in_memory

Tile = tuple[int, int]
"""First and one past the last unit of a tile; each kind of block has units of its own, such as rows or cosets."""

TopK = tuple[Tensor, Tensor]
"""Values and indices, both B x k."""

LARGEST_EXPONENT = 80.0
"""exp of it, and of its negative, are float32 numbers with room to spare."""


class ProjectionBlock(Protocol):
    """Consecutive points of a projection, all of one kind, with the tensor operations on them.

    All methods except `forward` take tensors without gradients and not in half precision. The default methods treat all
    points as one tile, which suits blocks of few points.

    Attributes:
        kind: What the points are, such as 'matrix' or 'cosets'; kernel backends name the kinds that they serve.
        num_points: P, the number of points.
        dim: n.
        scores_per_row: Number of products computed per vector.
        antipodal: Whether one score represents two points: a point and, negated, its antipode.
    """

    kind: ClassVar[str]
    num_points: int
    dim: int
    scores_per_row: int
    antipodal: bool = False

    def __call__(self, z: Tensor) -> Tensor:
        """Return the B x P dot products, in the dtype of z, differentiable and traceable."""
        ...

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points of these indices, one per row, with the dtype of `like`."""
        ...

    def tiles(self, batch: int) -> list[Tile]:
        """Return tiles of the points such that the scores of `batch` vectors fit in cache."""
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
        """Return the B x n weighted sums of the points of a tile; weights are in the order of their scores."""
        del tile
        return self.weighted_sum(weights[0])

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the dot products of z with every point into `out`, B x P."""
        out.copy_(self(z))

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n sums of all points with B x P weights."""
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
    """Return slices of `size` (at least 1) from `start` to `stop`; the last one may be shorter."""
    step = max(1, size)
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]


def empty_top_k(z: Tensor) -> TopK:
    """Return empty B x 0 values and indices, the start of a merge."""
    values = z.new_empty(len(z), 0)
    indices = z.new_empty(len(z), 0, dtype=torch.int64)
    return values, indices


def merged_top_k(first: TopK, second: TopK, k: int) -> TopK:
    """Return the k largest values of two lists, descending; ties go to the first list.

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


def tiled_log_sum_exp(
    z: Tensor, block: ProjectionBlock, with_mean: bool
) -> tuple[Tensor, Tensor]:
    """Return the log-sum-exp of each row and the mean point, computed tile by tile.

    Args:
        z: B x n vectors.
        block: Points of one kind.
        with_mean: Whether to compute the mean point under the softmax.

    Returns:
        B values, and B x n means; B x 0 numbers without `with_mean`.
    """
    if _is_bounded(z, block):
        return _bounded_log_sum_exp(z, block, with_mean)
    best = z.new_full((len(z),), -torch.inf)
    total = z.new_zeros(len(z))
    mean = z.new_zeros(len(z), z.shape[1] if with_mean else 0)
    for tile in block.tiles(len(z)):
        scores = block.scores(z, tile)
        before = best
        best = torch.maximum(best, scores.amax(0).amax(1))
        if block.antipodal:
            best = torch.maximum(best, -scores.amin(0).amin(1))
        shrink = torch.exp(before - best)
        total = total * shrink
        mean = mean * shrink[:, None]
        total = total + _exponentials(scores, best[:, None], block.antipodal)
        if with_mean:
            mean = mean + block.tile_sum(scores, tile)
    return best + total.log(), mean / total[:, None]


def _is_bounded(z: Tensor, block: ProjectionBlock) -> bool:
    """Return whether no sum of exponentials overflows without subtracting a maximum.

    Scores are at most |z|, so below the limit exp(-score) is 1 / exp(score) too.
    """
    if not in_memory(z):
        return False
    limit = LARGEST_EXPONENT - log(block.num_points)
    norms = z.square().sum(1).sqrt()
    return bool((norms <= limit).numpy().all())


def _bounded_log_sum_exp(
    z: Tensor, block: ProjectionBlock, with_mean: bool
) -> tuple[Tensor, Tensor]:
    """Return the same for rows whose exponentials cannot overflow."""
    total = z.new_zeros(len(z))
    mean = z.new_zeros(len(z), z.shape[1] if with_mean else 0)
    for tile in block.tiles(len(z)):
        scores = block.scores(z, tile)
        total = total + _exponentials(scores, None, block.antipodal)
        if with_mean:
            mean = mean + block.tile_sum(scores, tile)
    return total.log(), mean / total[:, None]


def _exponentials(scores: Tensor, shift: Tensor | None, antipodal: bool) -> Tensor:
    """Overwrite the scores with exp(score - shift) and return their sums by vector.

    For antipodal points the scores become the difference of the exponentials of a point and of its antipode.
    """
    opposite = None
    if antipodal and shift is not None:
        opposite = torch.exp(-shift - scores)
    if shift is not None:
        scores.sub_(shift)
    scores.exp_()
    added = scores.sum(0).sum(1)
    if not antipodal:
        return added
    if opposite is None:
        opposite = scores.reciprocal()
    scores.sub_(opposite)
    return added + opposite.sum(0).sum(1)


def tiled_moment(
    z: Tensor,
    log_sum_exps: Tensor,
    directions: Sequence[Tensor],
    block: ProjectionBlock,
) -> Tensor:
    """Return sum_k exp(z c_k - l) (v_1 c_k) (v_2 c_k) ... c_k of each row, tile by tile.

    Args:
        z: B x n vectors.
        log_sum_exps: B values of l.
        directions: The v, each B x n.
        block: The points c_k.

    Returns:
        B x n moments.
    """
    total = torch.zeros_like(z)
    shift = log_sum_exps[:, None]
    # of a pair of antipodes the second has every sign turned: that of each direction and its own
    sign = 1 if len(directions) % 2 else -1
    for tile in block.tiles(len(z)):
        scores = block.scores(z, tile)
        weights = torch.exp(scores - shift)
        if block.antipodal:
            weights.add_(torch.exp(-scores - shift), alpha=sign)
        for direction in directions:
            weights.mul_(block.scores(direction, tile))
        total += block.tile_sum(weights, tile)
    return total
