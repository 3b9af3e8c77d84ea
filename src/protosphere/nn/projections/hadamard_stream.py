"""The scores of a Hadamard part, tile by tile, in the same block of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from protosphere.nn.projections.part import Tile
from protosphere.nn.workspace import acquire, release

if TYPE_CHECKING:
    from protosphere.nn.projections.hadamard import HadamardPart


class HadamardStream:
    """Scores (b, B, cosets), one per pair of opposed words; with tails (words of a coset, B, cosets).

    New memory for each tile would be given back to the system and asked for again: that took as long as the products.
    """

    def __init__(self, z: Tensor, part: HadamardPart) -> None:
        self.z, self.part = z, part
        largest = max((stop - start for start, stop in part.tiles(len(z))), default=0)
        entries = len(part.inner) * len(z) * largest
        self.block = acquire(z, 3 * entries)
        self.summed, self.halves, self.others = (self.block[i * entries : (i + 1) * entries] for i in range(3))
        self.binned, self.inner = part.binned(z).contiguous(), part.inner.to(z.dtype)

    def __del__(self) -> None:
        release(self.block)

    def scores(self, tile: Tile) -> Tensor:
        """Dot products with the words of a tile."""
        signs = self.part.signs[:, :, tile[0] : tile[1]].to(self.z.dtype)
        summed = self._shaped(self.summed, signs.shape[2])
        torch.bmm(self.binned, signs, out=summed)
        half = self._shaped(self.halves, signs.shape[2])
        torch.mm(self.inner, summed.flatten(1), out=half.flatten(1))
        if not self.part.tailed:
            return half
        tails = self.part.tail_scores(self.z, tile)
        return torch.cat([tails + half, tails - half]) if self.part.both_signs else tails + half

    def spare(self, scores: Tensor) -> Tensor:
        """Memory of the shape of the scores."""
        return torch.empty_like(scores) if self.part.tailed else self._shaped(self.others, scores.shape[2])

    def weighted_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the words of a tile."""
        part, b = self.part, len(self.inner)
        half = weights[:b] - weights[b:] if len(weights) > b else weights
        summed = self._shaped(self.summed, half.shape[2])
        torch.mm(self.inner, half.flatten(1), out=summed.flatten(1))
        signs = part.signs[:, :, tile[0] : tile[1]].to(half.dtype)
        sums = part.unbinned(torch.bmm(summed, signs.transpose(1, 2)))
        return sums + part.weighted_tails(weights.sum(0), tile) if part.tailed else sums

    def _shaped(self, block: Tensor, cosets: int) -> Tensor:
        shape = (len(self.inner), len(self.z), cosets)
        return block[: shape[0] * shape[1] * shape[2]].view(shape)
