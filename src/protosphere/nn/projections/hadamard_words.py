"""The products with every word of a Hadamard part, in order, tile by tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from protosphere.nn.kernels.row_threads import by_rows, in_memory
from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.nn.streaming.softmax import Dims, folded, unfolded
from protosphere.nn.tracing import call

if TYPE_CHECKING:
    from protosphere.nn.projections.hadamard import HadamardBlock

HUGE_PAGES_FROM = 1 << 25
"""Bytes from which glibc always asks the system for new memory, whose first touch page by page takes longer than the
products; numpy asks for huge pages there: 9 ms against 45 ms for 64 MB."""


def coset_words(rows: Tensor, part: HadamardBlock, transposed: bool = False) -> Tensor:
    """Tile by tile into one block of memory; with `transposed`, weights of all words to their sums."""
    return call(_Words, rows, part, transposed)


class _Words(torch.autograd.Function):
    """B x n to the products with all words or, `transposed`, weights of all words to their sums; row by row."""

    @staticmethod
    def forward(rows: Tensor, part: HadamardBlock, transposed: bool) -> Tensor:
        wide = widened(rows.detach())
        return (
            coset_word_sums(wide, part) if transposed else tiled_words(wide, part)
        ).to(rows.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        del output
        _, ctx.part, ctx.transposed = inputs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return coset_words(grads[0], ctx.part, not ctx.transposed), None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        return coset_words(tangents[0], ctx.part, ctx.transposed)

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Tensor, int]:
        (rows,) = folded(info, in_dims[:1], args[:1])
        return unfolded(info, coset_words(rows, *args[1:]))[0], 0


def tiled_words(z: Tensor, part: HadamardBlock) -> Tensor:
    """B x num_words, not differentiable."""
    words = z.new_empty(len(z), part.num_words)
    if (
        in_memory(z) and words.nbytes > HUGE_PAGES_FROM
    ):  # which nobody has touched yet, so that it took no time
        words = torch.from_numpy(np.empty(words.shape, z.numpy().dtype))  # pyright: ignore[reportUnknownMemberType]
    by_rows(lambda rows: _write_words(z[rows], part, words[rows]), z, part.num_words)
    return words


def _write_words(z: Tensor, part: HadamardBlock, words: Tensor) -> None:
    if part.fused.serves(z):
        part.fused.words(z, words)
        return
    (b, per_coset), cosets = part.words.shape, part.signs.shape[2]
    each = words.view(len(z), cosets, per_coset)
    binned = part.binned(z).contiguous()
    outer = part.words.to(z.dtype).expand(len(z), b, per_coset)
    for start, stop in part.tiles(len(z)):
        summed = torch.bmm(binned, part.signs[:, :, start:stop].to(z.dtype))
        torch.bmm(summed.permute(1, 2, 0), outer, out=each[:, start:stop])
    if part.tailed:
        each += part.tail_scores(z, (0, cosets))[:, :, None]


def coset_word_sums(weights: Tensor, part: HadamardBlock) -> Tensor:
    """The transpose of `tiled_words`: B x num_words to B x n."""
    return torch.cat(
        by_rows(
            lambda rows: _weighted_rows(weights[rows], part), weights, part.num_words
        )
    )


def _weighted_rows(weights: Tensor, part: HadamardBlock) -> Tensor:
    if part.fused.serves(weights):
        return part.fused.weighted_sum(weights)
    (b, per_coset), cosets = part.words.shape, part.signs.shape[2]
    each = weights.reshape(len(weights), cosets, per_coset)
    sums = weights.new_zeros(b, len(weights), part.signs.shape[1])
    outer = part.words.to(weights.dtype).expand(len(weights), b, per_coset)
    for start, stop in part.tiles(len(weights)):
        summed = torch.bmm(outer, each[:, start:stop].transpose(1, 2)).transpose(0, 1)
        sums += torch.bmm(
            summed, part.signs[:, :, start:stop].to(weights.dtype).transpose(1, 2)
        )
    total = part.unbinned(sums)
    if part.tailed:
        return total + part.weighted_tails(each.sum(2), (0, cosets))
    return total
