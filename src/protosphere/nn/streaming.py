"""Log-sum-exp over any number of classes, exact, without ever holding B x K logits.

log sum_k exp(z c_k) is summed tile by tile against a running maximum, and with it its gradient sum_k p_k c_k, so that
every dot product is computed once. Milakov & Gimelshein (2018), Online normalizer calculation for softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from protosphere.nn.threads import by_rows

if TYPE_CHECKING:
    from protosphere.nn.projections.part import Part

LARGEST_EXPONENT = 80.0
"""exp of it, and of its negative, are float32 numbers with room to spare."""


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
    """The log-sum-exp of each row and, where asked for, the mean prototype under its softmax; not differentiable."""
    num_words = sum(part.num_words for part in parts)

    def of_rows(rows: slice) -> tuple[Tensor, Tensor]:
        return _merged([part.log_sum_exp(z[rows], with_mean) for part in parts])

    pieces = by_rows(of_rows, len(z), len(z) * num_words, z.device)
    values, means = zip(*pieces, strict=True)
    return torch.cat(values), torch.cat(means)


def _merged(pieces: Sequence[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """The log-sum-exp over several sets of words and the mean of them all, from those of each."""
    if len(pieces) == 1:
        return pieces[0]
    values, means = torch.stack([value for value, _ in pieces]), torch.stack([mean for _, mean in pieces])
    value = values.logsumexp(0)
    return value, (torch.exp(values - value)[:, :, None] * means).sum(0)


def tiled_log_sum_exp(z: Tensor, part: Part, with_mean: bool) -> tuple[Tensor, Tensor]:
    """Those of one part, from its stream."""
    bounded = _bounded(z, part.num_words)
    best = z.new_full((len(z),), 0.0 if bounded else -torch.inf)
    total, mean = z.new_zeros(len(z)), z.new_zeros(z.shape)
    stream = part.stream(z)
    for tile in part.tiles(len(z)):
        scores, before = stream.scores(tile), best
        if not bounded:
            best = torch.maximum(best, _highest(scores, part.antipodal))
            shrink = torch.exp(before - best)
            total, mean = total * shrink, mean * shrink[:, None]
        spare = stream.spare(scores) if part.antipodal else scores
        total = total + _exponentials(scores, None if bounded else best[:, None], spare, part.antipodal)
        if with_mean:
            mean = mean + stream.weighted_sum(scores, tile)
    return best + total.log(), mean / total[:, None]


def _bounded(z: Tensor, num_words: int) -> bool:
    """Whether no score can be so large that sums of exponentials overflow: scores are at most |z|.

    Then there is no need of a maximum, and exp(-score) is 1/exp(score).
    """
    return bool((z.square().sum(1).sqrt() <= LARGEST_EXPONENT - log(num_words)).all())


def _highest(scores: Tensor, antipodal: bool) -> Tensor:
    """The largest score of each vector, of either sign where both are there."""
    highest = scores.amax(0).amax(1)
    return torch.maximum(highest, -scores.amin(0).amin(1)) if antipodal else highest


def _exponentials(scores: Tensor, shift: Tensor | None, spare: Tensor, antipodal: bool) -> Tensor:
    """Write exp(score - shift) over the scores, for opposed words the difference of both; give the sums by vector."""
    if antipodal and shift is not None:
        torch.sub(-shift, scores, out=spare).exp_()
    (scores if shift is None else scores.sub_(shift)).exp_()
    added = scores.sum(0).sum(1)
    if not antipodal:
        return added
    if shift is None:
        torch.reciprocal(scores, out=spare)
    scores.sub_(spare)
    return added + spare.sum(0).sum(1)
