"""Log-sum-exp over any number of classes, exact, without ever holding B x K logits.

log sum_k exp(z c_k) is summed tile by tile against a running maximum, and with it its gradient sum_k p_k c_k, so that
every dot product is computed once. Milakov & Gimelshein (2018), Online normalizer calculation for softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.part import Part


def log_sum_exp(z: Tensor, parts: Sequence[Part]) -> Tensor:
    """log sum_k exp(z c_k) over all words of the parts, for each row of z; float32 for half types."""
    return cast("Tensor", _LogSumExp.apply(z, parts))  # pyright: ignore[reportUnknownMemberType]


class _LogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, parts: Sequence[Part]) -> Tensor:
        with torch.autocast(z.device.type, enabled=False):
            value, mean = streamed_log_sum_exp(widened(z.detach()), parts, bool(ctx.needs_input_grad[0]))
        ctx.save_for_backward(mean)
        ctx.dtype = z.dtype
        return value

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (mean,) = ctx.saved_tensors
        return (grads[0][:, None] * mean).to(ctx.dtype), None


def widened(z: Tensor) -> Tensor:
    """z in the type that sums are taken in: float32 for half types."""
    return z.float() if z.dtype in (torch.float16, torch.bfloat16) else z


def streamed_log_sum_exp(z: Tensor, parts: Sequence[Part], with_mean: bool) -> tuple[Tensor, Tensor]:
    """The log-sum-exp of each row and, where asked for, the mean prototype under its softmax."""
    best, total = z.new_full((len(z),), -torch.inf), z.new_zeros(len(z))
    mean = z.new_zeros(z.shape)
    for part in parts:
        for tile in part.tiles(len(z)):
            scores = part.scores(z, tile)
            higher = torch.maximum(best, _highest(scores, part.antipodal))
            weights, added = _exponentials(scores, higher, part.antipodal)
            shrink = torch.exp(best - higher)
            best, total = higher, total * shrink + added
            if with_mean:
                mean = mean * shrink[:, None] + part.pull(weights, tile)
    return best + total.log(), mean / total[:, None]


def _highest(scores: Tensor, antipodal: bool) -> Tensor:
    """The largest score of each vector, of either sign where both are there."""
    highest = scores.amax(0).amax(1)
    return torch.maximum(highest, -scores.amin(0).amin(1)) if antipodal else highest


def _exponentials(scores: Tensor, best: Tensor, antipodal: bool) -> tuple[Tensor, Tensor]:
    """exp(score - best), for opposed words the difference of the two, and the sum of all of them by vector."""
    shift = best[:, None]
    if not antipodal:
        same = scores.sub_(shift).exp_()
        return same, same.sum(0).sum(1)
    opposed = (-shift - scores).exp_()
    same = scores.sub_(shift).exp_()
    added = same.sum(0).sum(1) + opposed.sum(0).sum(1)
    return same.sub_(opposed), added
