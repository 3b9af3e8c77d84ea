"""Log-sum-exp over any number of classes, exact, without ever holding B x K logits.

log sum_k exp(z c_k) is summed tile by tile against a running maximum, and with it its gradient sum_k p_k c_k, so that
every dot product is computed once. Milakov & Gimelshein (2018), Online normalizer calculation for softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from protosphere.nn.kernels.row_threads import in_memory

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock

LARGEST_EXPONENT = 80.0
"""exp of it, and of its negative, are float32 numbers with room to spare."""


def widened(z: Tensor) -> Tensor:
    """z in the type that sums are taken in: float32 for half types."""
    return z.float() if z.dtype in (torch.float16, torch.bfloat16) else z


def merged_log_sum_exps(
    pieces: Sequence[tuple[Tensor, Tensor]],
) -> tuple[Tensor, Tensor]:
    """The log-sum-exp over several sets of words and the mean of them all, from those of each."""
    if len(pieces) == 1:
        return pieces[0]
    values = torch.stack([value for value, _ in pieces])
    means = torch.stack([mean for _, mean in pieces])
    value = values.logsumexp(0)
    return value, (torch.exp(values - value)[:, :, None] * means).sum(0)


def tiled_log_sum_exp(
    z: Tensor, part: ProjectionBlock, with_mean: bool
) -> tuple[Tensor, Tensor]:
    """Those of one part, tile by tile; without the mean B x 0 numbers."""
    # scores are at most |z|: up to the limit no sum overflows without a maximum, and exp(-score) is 1 / exp(score)
    limit = LARGEST_EXPONENT - log(part.num_words)
    bounded = in_memory(z) and bool((z.square().sum(1).sqrt() <= limit).numpy().all())
    best = z.new_full((len(z),), 0.0 if bounded else -torch.inf)
    total = z.new_zeros(len(z))
    mean = z.new_zeros(len(z), z.shape[1] if with_mean else 0)
    for tile in part.tiles(len(z)):
        scores = part.scores(z, tile)
        before = best
        if not bounded:
            best = torch.maximum(best, scores.amax(0).amax(1))
            if part.antipodal:
                best = torch.maximum(best, -scores.amin(0).amin(1))
            shrink = torch.exp(before - best)
            total = total * shrink
            mean = mean * shrink[:, None]
        total = total + _exponentials(
            scores, None if bounded else best[:, None], part.antipodal
        )
        if with_mean:
            mean = mean + part.tile_sum(scores, tile)
    return best + total.log(), mean / total[:, None]


def tiled_moment(
    z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor], part: ProjectionBlock
) -> Tensor:
    """The moment of one part, tile by tile; of opposed words the second has all signs turned."""
    total = torch.zeros_like(z)
    shift = log_sum_exps[:, None]
    for tile in part.tiles(len(z)):
        scores = part.scores(z, tile)
        weights = torch.exp(scores - shift)
        if part.antipodal:
            weights.add_(
                torch.exp(-scores - shift), alpha=1 if len(directions) % 2 else -1
            )
        for direction in directions:
            weights.mul_(part.scores(direction, tile))
        total += part.tile_sum(weights, tile)
    return total


def _exponentials(scores: Tensor, shift: Tensor | None, antipodal: bool) -> Tensor:
    """Write exp(score - shift) over the scores, for opposed words the difference of both; give the sums by vector."""
    opposed = torch.exp(-shift - scores) if antipodal and shift is not None else None
    (scores if shift is None else scores.sub_(shift)).exp_()
    added = scores.sum(0).sum(1)
    if not antipodal:
        return added
    opposed = scores.reciprocal() if opposed is None else opposed
    scores.sub_(opposed)
    return added + opposed.sum(0).sum(1)
