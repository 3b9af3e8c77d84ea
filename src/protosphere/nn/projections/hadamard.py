"""Words in cosets of a small linear code: all dot products by two small matrix products.

The b words of the small code are the signs H[p(x), a], H being Sylvester's matrix of order b and p(x) < b the bin of
coordinate x. Coset c has the words s_c(x) H[p(x), a], and the dot products with z are

    y[bin, c] = sum over the x of the bin of z(x) s_c(x)        b products (B x n/b) (n/b x cosets)
    z . word(c, a) = sum over the bins of H[bin, a] y[bin, c]   one product by H

n/b + b multiplications for a word where the matrix of all words takes n; b near sqrt(n) is best. Unions of cosets of
RM(1, m), and the words of any binary linear code, are such cosets. Where the all-one word is in the code, each word
stands beside its opposite, and one number serves both.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from protosphere.nn.projections.hadamard_layout import HadamardLayout
from protosphere.nn.projections.hadamard_words import coset_words, in_one_piece, pulled_words
from protosphere.nn.projections.merging import merged_top
from protosphere.nn.projections.part import Tile

TILE_ENTRIES = 1 << 19
"""Scores held at once by the streaming methods: with their exponentials they stay in cache."""


class HadamardPart(nn.Module):
    """Cosets of a small linear code as signs times `coefficient`, followed by a tail for each coset where there are.

    Attributes:
        signs: (b, L, C): s_c(x) for the x of each bin, filled up with zeros to the size L of the largest.
        columns: the coordinates x in the order (bin, place); 0 where `signs` has zeros.
        inner: H, b x b; `words`: H, or (H, -H) with columns in turns: b x words of a coset.
        tails, tail_of: the tails, J x t, and which of them each coset has; J x 0 where there are none.
    """

    signs: Tensor
    columns: Tensor
    inner: Tensor
    words: Tensor
    tails: Tensor
    tail_of: Tensor

    def __init__(self, layout: HadamardLayout, dtype: torch.dtype) -> None:
        super().__init__()
        self.num_words, self.dim = layout.num_words, layout.length + layout.tails.shape[1]
        self.length, self.coefficient = layout.length, layout.coefficient
        self.both_signs = layout.antipodal
        self.tailed = layout.tails.shape[1] > 0 and bool(layout.tails.any())
        self.antipodal = layout.antipodal and not self.tailed
        for name, array in layout.arrays().items():
            tensor = torch.from_numpy(array)  # pyright: ignore[reportUnknownMemberType]
            self.register_buffer(name, tensor.to(dtype) if tensor.is_floating_point() else tensor, persistent=False)

    def extra_repr(self) -> str:
        """Cosets, words a coset, n."""
        return f"cosets={self.signs.shape[2]}, words={self.words.shape[1]}, dim={self.dim}"

    def forward(self, z: Tensor) -> Tensor:
        """The products with every word."""
        return in_one_piece(z, self) if _traced() else coset_words(z, self)

    def binned(self, z: Tensor) -> Tensor:
        """z as the first product takes it: (b, B, L)."""
        b, size, _ = self.signs.shape
        return (z[:, : self.length] * self.coefficient)[:, self.columns].view(len(z), b, size).transpose(0, 1)

    def unbinned(self, pulled: Tensor) -> Tensor:
        """The transpose of `binned`: (b, B, L) to B x n, zeros in the tail."""
        flat = pulled.transpose(0, 1).reshape(pulled.shape[1], -1) * self.coefficient
        return flat.new_zeros(len(flat), self.dim).index_add_(1, self.columns, flat)

    def tail_scores(self, z: Tensor, tile: Tile) -> Tensor:
        """What the tails of the cosets of a tile add: B x cosets."""
        return (z[:, self.length :] @ self.tails.to(z.dtype).T)[:, self.tail_of[tile[0] : tile[1]]]

    def pulled_tails(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the tails with weights B x cosets, after zeros for the words."""
        tails = weights @ self.tails.to(weights.dtype)[self.tail_of[tile[0] : tile[1]]]
        return nn.functional.pad(tails, (self.length, 0))

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The words of these numbers."""
        coset, number = index // self.words.shape[1], index % self.words.shape[1]
        signed = self.signs[:, :, coset] * self.words[:, None, number]
        rows = self.unbinned(signed.permute(0, 2, 1).to(like.dtype))
        if self.tailed:
            rows[:, self.length :] = self.tails[self.tail_of[coset]].to(like.dtype)
        return rows

    def tiles(self, batch: int) -> list[Tile]:
        """Cuts of the cosets."""
        b, _, cosets = self.signs.shape
        return cuts(cosets, max(1, TILE_ENTRIES // (b * max(1, batch))))

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """(b, B, cosets), one number a pair of opposed words; with tails (words of a coset, B, cosets)."""
        half = self._half_scores(self.binned(z), tile)
        if not self.tailed:
            return half
        tails = self.tail_scores(z, tile)
        return torch.cat([tails + half, tails - half]) if self.both_signs else tails + half

    def _half_scores(self, binned: Tensor, tile: Tile) -> Tensor:
        summed = torch.bmm(binned, self.signs[:, :, tile[0] : tile[1]].to(binned.dtype))
        return torch.mm(self.inner.to(binned.dtype), summed.flatten(1)).view(summed.shape)

    def pull(self, weights: Tensor, tile: Tile) -> Tensor:
        """The transpose of `scores`."""
        b = len(self.inner)
        half = weights[:b] - weights[b:] if len(weights) > b else weights
        summed = torch.mm(self.inner.to(half.dtype), half.flatten(1)).view(half.shape)
        signs = self.signs[:, :, tile[0] : tile[1]].to(half.dtype)
        pulled = self.unbinned(torch.bmm(summed, signs.transpose(1, 2)))
        return pulled + self.pulled_tails(weights.sum(0), tile) if self.tailed else pulled

    def word_sum(self, weights: Tensor) -> Tensor:
        """The sum of all words."""
        return pulled_words(weights[None], self)[0]

    def top(self, z: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k largest: they lie in the k cosets whose best words are best, and only those are looked at again."""
        best = z.new_empty(len(z), 0), z.new_empty(len(z), 0, dtype=torch.int64)
        for tile in self.tiles(len(z)):
            scores = self.scores(z, tile)
            highest = scores.amax(0)
            if self.antipodal:
                highest = torch.maximum(highest, -scores.amin(0))
            values, coset = highest.topk(min(k, highest.shape[1]), dim=1)
            best = merged_top(best, (values, coset + tile[0]), k)
        return self.top_within(z, best[1], k)

    def top_within(self, z: Tensor, cosets: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k largest among the words of these cosets, B x some of them."""
        chosen = self.signs[:, :, cosets].to(z.dtype)
        summed = torch.einsum("zbl,lzbc->zbc", self.binned(z), chosen.transpose(0, 1))
        scores = torch.einsum("zbc,zw->bcw", summed, self.words.to(z.dtype))
        if self.tailed:
            whole = (0, self.signs.shape[2])
            scores = scores + self.tail_scores(z, whole).gather(1, cosets)[:, :, None]
        values, place = scores.flatten(1).topk(k, dim=1)
        per_coset = self.words.shape[1]
        return values, cosets.gather(1, place // per_coset) * per_coset + place % per_coset


def cuts(count: int, size: int) -> list[Tile]:
    """0 to `count` in pieces of `size`, the last one shorter."""
    return [(start, min(start + size, count)) for start in range(0, count, size)]


def _traced() -> bool:
    return torch.compiler.is_compiling() or torch.onnx.is_in_onnx_export()
