"""The backend of tensor operations: serves every block, device and dtype.

log sum_k exp(z c_k) is summed tile by tile against a running maximum, and with it its gradient sum_k p_k c_k, so that
every dot product is computed once. Milakov & Gimelshein (2018), Online normalizer calculation for softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from protosphere.nn.tracing import in_memory

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK

LARGEST_EXPONENT = 80.0
"""exp of it, and of its negative, are float32 numbers with room to spare."""


class TorchBackend:
    """Kernels made of the tensor operations of each block."""

    name = "torch"

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True: tensor operations serve everything."""
        del block, rows
        return True

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the dot products of each vector with every point."""
        block.write_products(z, out)

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return weighted sums of the points."""
        return block.weighted_sum(weights)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of the products of each vector, and its gradient."""
        return block.log_sum_exp(z, with_mean)

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest products of each vector, in descending order."""
        return block.top_k(z, k)


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
