"""Protocol of the blocks of a projection, and functions for blocks.

A projection computes dot products of vectors with all prototypes. It consists of blocks, and each block has some of the
prototypes as its points. The antipode of a point x is -x. A score is the dot product of a vector with a point. A unit
is a single point of a block, or a group of points that is never divided, such as a coset; it depends on the block. A
tile is a range of consecutive units whose scores are computed together. A top-k search finds the k largest scores of a
vector, and the indices of their points.

The log-sum-exp of a vector's dot products with the points is the logarithm of the sum of their exponentials. It is
computed tile by tile with a running maximum, as in Milakov & Gimelshein (2018), Online normalizer calculation for
softmax. The gradient of the log-sum-exp, which is the mean of the points weighted by the softmax, is computed in the
same pass. So every dot product is computed only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from protosphere.nn.tracing import in_memory

Tile = tuple[int, int]
"""Consecutive units of a block: the index of the first unit, and one past the index of the last unit.

A unit is a point of the block or a group of its points, such as a coset.
"""

TopK = tuple[Tensor, Tensor]
"""For each of B rows, the k largest values and their indices, both B x k."""

LARGEST_EXPONENT = 80.0
"""Exponent x for which exp(x) does not overflow and exp(-x) does not underflow in float32, with a margin."""


class ProjectionBlock(Protocol):
    """Protocol of a block: consecutive points of a projection, all of one kind, with the tensor operations on them.

    A score is the dot product of a vector with a point. The points are divided into units: a unit is a single point or
    a group of points, such as a coset. A tile is a range of consecutive units whose scores are computed together. All
    methods except `__call__` take tensors that need no gradient and are not in float16 or bfloat16. The default methods
    treat all points as one tile, which suits blocks of few points.

    Attributes:
        kind: Kind of the points, such as 'matrix' or 'cosets'. Each kernel backend lists the kinds that it supports.
        num_points: Number P of points.
        dim: Dimension n.
        scores_per_row: Number of dot products that are computed for each vector. It is P, except for a block whose
            points are all combinations of the points of several parts: there it is the number of points of all parts.
        antipodal: If True, each score that the method `scores` returns stands for two points of the block: a point with
            this score, and the antipode of the point, whose score is the negative of it. If False, each score stands
            for one point.
    """

    kind: ClassVar[str]
    num_points: int
    dim: int
    scores_per_row: int
    antipodal: bool = False

    def __call__(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of vectors with all P points, in the dtype of z.

        The result is differentiable, and torch can trace and export its computation.

        Args:
            z: B x n vectors.
        """
        ...

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with the indices in `index`, one per row, in the dtype of `like`.

        Args:
            index: Vector of indices of points in the block.
            like: Tensor whose dtype the points get.
        """
        ...

    def tiles(self, batch: int) -> list[Tile]:
        """Return tiles that together contain all points of the block.

        The points of the block are divided into units: a unit is a single point or a group of points, such as a coset.
        A tile is a range of consecutive units. Tiles should be so small that the dot products of `batch` vectors with
        the points of one tile fit in the cache. This default method returns one tile with all points, where each point
        is a unit.

        Args:
            batch: Number of vectors.

        Returns:
            For each tile, the index of its first unit, and one past the index of its last unit.
        """
        del batch
        return [(0, self.num_points)]

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of vectors with the points of a tile.

        Args:
            z: B x n vectors.
            tile: One of the tiles that the method `tiles` returns.

        Returns:
            A new tensor of shape (p, B, q), which the caller may overwrite. The slice [:, i, :] has the p q dot
            products of vector i. The numbers p and q and the order of the points depend on the block. If the attribute
            `antipodal` is True, there is only one dot product for a point and its antipode: the dot product with the
            point.
        """
        del tile
        return self(z)[None]

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return B weighted sums of the points of a tile, as a B x n tensor.

        Args:
            weights: Tensor of shape (p, B, q) with one weight for each dot product that the method `scores` returns for
                B vectors and this tile, in the same order. If the attribute `antipodal` is True, each entry is the
                weight of a point minus the weight of its antipode.
            tile: One of the tiles that the method `tiles` returns.
        """
        del tile
        return self.weighted_sum(weights[0])

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all P points into `out`.

        Args:
            z: B x n vectors.
            out: B x P tensor for the results.
        """
        out.copy_(self(z))

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return B weighted sums of all P points, as a B x n tensor.

        Args:
            weights: B x P weights, one row for each sum.
        """
        ...

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and optionally the mean point.

        The mean point of a vector is the mean of all points, weighted by the softmax of the vector's dot products with
        them. It is the gradient of the log-sum-exp with respect to the vector.

        Args:
            z: B x n vectors.
            with_mean: If True, the mean points are computed. If False, they are not.

        Returns:
            B log-sum-exps, and B x n mean points. If `with_mean` is False, the second tensor is empty, B x 0.
        """
        return tiled_log_sum_exp(z, self, with_mean)

    def top_k(self, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each vector with the points, in descending order, and their indices.

        This default method is for blocks in which a tile is a range of single points. It requires that the method
        `scores` returns a tensor of shape (1, B, q) for the q points of a tile, in the order of their indices.

        Args:
            z: B x n vectors.
            k: Number of points, at most P.

        Returns:
            The B x k dot products, and the B x k indices in the block of the points with these dot products.
        """
        found = empty_top_k(z)
        for tile in self.tiles(len(z)):
            scores = self.scores(z, tile)[0]
            values, index = scores.topk(min(k, scores.shape[1]), dim=1)
            found = merged_top_k(found, (values, index + tile[0]), k)
        return found


def cuts(stop: int, size: int, start: int = 0) -> list[Tile]:
    """Divide the indices start, ..., stop - 1 into consecutive intervals of `size` indices.

    Args:
        stop: One past the last index.
        size: Number of indices in an interval; a value below 1 is replaced by 1. The last interval may have fewer.
        start: First index.

    Returns:
        For each interval, its first index, and one past its last index.
    """
    step = max(1, size)
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]


def empty_top_k(z: Tensor) -> TopK:
    """Return the result of a top-k search among no points, for B x n vectors z: B x 0 values and B x 0 indices."""
    values = z.new_empty(len(z), 0)
    indices = z.new_empty(len(z), 0, dtype=torch.int64)
    return values, indices


def merged_top_k(first: TopK, second: TopK, k: int) -> TopK:
    """Merge the results of two top-k searches: return the k largest values of each row and their indices.

    Among equal values, values of `first` come before values of `second`.

    Args:
        first: B x p values of some points, and the B x p indices of these points. If p is 0, the result is `second`.
        second: B x q values of other points in descending order, and the B x q indices of these points. q is at most k.
        k: Number of values to keep per row.

    Returns:
        The largest values in descending order, and their indices. Each row has k values, or p + q if this is less.
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
    """Return the log-sum-exp of each vector's dot products with the points, and optionally the mean point.

    The log-sum-exp is the logarithm of the sum of the exponentials. The mean point of a vector is the mean of all
    points, weighted by the softmax of the dot products.

    Args:
        z: B x n vectors.
        block: Block of points.
        with_mean: If True, the mean points are computed. If False, they are not.

    Returns:
        B log-sum-exps, and B x n mean points. If `with_mean` is False, the second tensor is empty, B x 0.
    """
    if _cannot_overflow(z, block):
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
        total = total + _exponentiate_in_place(scores, best[:, None], block.antipodal)
        if with_mean:
            mean = mean + block.tile_sum(scores, tile)
    return best + total.log(), mean / total[:, None]


def _cannot_overflow(z: Tensor, block: ProjectionBlock) -> bool:
    # the absolute value of a score is at most |z|; below the limit, exp(-score) can be computed as 1 / exp(score)
    if not in_memory(z):
        return False
    limit = LARGEST_EXPONENT - log(block.num_points)
    norms = z.square().sum(1).sqrt()
    return bool((norms <= limit).numpy().all())


def _bounded_log_sum_exp(
    z: Tensor, block: ProjectionBlock, with_mean: bool
) -> tuple[Tensor, Tensor]:
    # the scores are so small that their maximum need not be subtracted
    total = z.new_zeros(len(z))
    mean = z.new_zeros(len(z), z.shape[1] if with_mean else 0)
    for tile in block.tiles(len(z)):
        scores = block.scores(z, tile)
        total = total + _exponentiate_in_place(scores, None, block.antipodal)
        if with_mean:
            mean = mean + block.tile_sum(scores, tile)
    return total.log(), mean / total[:, None]


def _exponentiate_in_place(
    scores: Tensor, shift: Tensor | None, antipodal: bool
) -> Tensor:
    # the exponential of a score s is exp(s - shift), where None stands for a shift of 0
    # afterwards `scores` has the weights of the points in the mean point; the result has one sum per vector
    # if antipodal, the sums include the antipodes, whose exponentials are then subtracted from those of the points
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
    """Return, for each vector, a weighted sum of the points of a block, with weights that depend on the vector.

    For a vector z with the number l and the directions v_1, ..., v_r, the weight of the point c_k is exp(z . c_k - l)
    times the r dot products v_1 . c_k, ..., v_r . c_k. Without directions (r = 0), the weights are exp(z . c_k - l).

    Args:
        z: B x n vectors.
        log_sum_exps: The B numbers l, usually the log-sum-exps of the dot products of the vectors with all prototypes.
        directions: A list of r tensors, each B x n. Row i of tensor j is the direction v_j of row i of z.
        block: Block of the points c_k.

    Returns:
        B x n weighted sums.
    """
    total = torch.zeros_like(z)
    shift = log_sum_exps[:, None]
    # the term of an antipode changes its sign once for each direction and once for the point itself
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
