"""Words in cosets of a small linear code: all dot products by two small matrix products.

The b words of the small code are the signs H[p(x), a], H being Sylvester's matrix of order b and p(x) < b the bin of
coordinate x. Coset c has the words s_c(x) H[p(x), a], and the dot products with z are

    y[bin, c] = sum over the x of the bin of z(x) s_c(x)        b products (B x n/b) (n/b x cosets)
    z . word(c, a) = sum over the bins of H[bin, a] y[bin, c]   one product by H

n/b + b multiplications for a word where the matrix of all words takes n; b near sqrt(n) is best. Unions of cosets of
RM(1, m), and the words of any binary linear code, are such cosets. Where the all-one word is in the code, each word
stands beside its opposite, and one number serves both.
"""

import torch
from torch import Tensor, nn

from protosphere.nn.kernels.cpu.coset_products import FusedCosets
from protosphere.nn.projections.block import Tile, cuts, merged_top, with_usual_strides
from protosphere.nn.projections.hadamard_layout import HadamardLayout, split_bits
from protosphere.nn.projections.hadamard_words import coset_word_sums, coset_words
from protosphere.nn.streaming.log_sum_exp import tiled_log_sum_exp, widened
from protosphere.nn.tracing import is_traced

TILE_ENTRIES = 1 << 19
"""Scores held at once, 2 MB: with their exponentials they stay in cache."""

HIGHEST_ENTRIES = 1 << 20
"""Cosets times vectors whose best scores are kept at once."""


class HadamardBlock(nn.Module):
    """Cosets of a small linear code as signs times `coefficient`, followed by a tail for each coset where there are.

    The cosets of the layout are split into ones of a smaller code for the products; `fused` does without.

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
        self.num_words = len(layout.representatives) * layout.per_coset
        self.dim = layout.dim
        self.length = layout.length
        self.coefficient = layout.coefficient
        self.both_signs = layout.antipodal
        self.tailed = layout.tails.shape[1] > 0 and bool(layout.tails.any())
        self.antipodal = layout.antipodal and not self.tailed
        self.fused = FusedCosets(layout)
        for name, array in layout.split(split_bits(layout.length)).arrays().items():
            tensor = with_usual_strides(torch.from_numpy(array))  # pyright: ignore[reportUnknownMemberType]
            self.register_buffer(
                name,
                tensor.to(dtype) if tensor.is_floating_point() else tensor,
                persistent=False,
            )

    def extra_repr(self) -> str:
        """Cosets, words a coset, n."""
        return (
            f"cosets={self.signs.shape[2]}, words={self.words.shape[1]}, dim={self.dim}"
        )

    def forward(self, z: Tensor) -> Tensor:
        """The products with every word; a compiler or an exporter sees one tile and no loops."""
        if not (
            torch.compiler.is_compiling()
            or torch.onnx.is_in_onnx_export()
            or is_traced()
        ):
            return coset_words(z, self)
        wide = widened(z)
        summed = torch.bmm(self.binned(wide), self.signs.to(wide.dtype))
        words = torch.matmul(summed.permute(1, 2, 0), self.words.to(wide.dtype))
        if self.tailed:
            words = words + self.tail_scores(wide, (0, self.signs.shape[2]))[:, :, None]
        return words.flatten(1).to(z.dtype)

    def binned(self, z: Tensor) -> Tensor:
        """z as the first product takes it: (b, B, L)."""
        b, size, _ = self.signs.shape
        words = z[:, : self.length] * self.coefficient
        return (
            words.index_select(1, self.columns)
            .view(z.shape[0], b, size)
            .transpose(0, 1)
        )

    def unbinned(self, sums: Tensor) -> Tensor:
        """The transpose of `binned`: (b, B, L) to B x n, zeros in the tail."""
        flat = sums.transpose(0, 1).flatten(1) * self.coefficient
        return flat.new_zeros(flat.shape[0], self.dim).index_add_(1, self.columns, flat)

    def tail_scores(self, z: Tensor, tile: Tile) -> Tensor:
        """What the tails of the cosets of a tile add: B x cosets."""
        return (z[:, self.length :] @ self.tails.to(z.dtype).T)[
            :, self.tail_of[tile[0] : tile[1]]
        ]

    def weighted_tails(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the tails with weights B x cosets, after zeros for the words."""
        tails = weights @ self.tails.to(weights.dtype)[self.tail_of[tile[0] : tile[1]]]
        return nn.functional.pad(tails, (self.length, 0))

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The words of these numbers."""
        coset = index // self.words.shape[1]
        number = index % self.words.shape[1]
        signed = self.signs[:, :, coset] * self.words[:, None, number]
        rows = self.unbinned(signed.permute(0, 2, 1).to(like.dtype))
        if self.tailed:
            rows[:, self.length :] = self.tails[self.tail_of[coset]].to(like.dtype)
        return rows

    def tiles(self, batch: int, start: int = 0, stop: int | None = None) -> list[Tile]:
        """Cuts of the cosets, or of those from `start` to `stop`."""
        last = self.signs.shape[2] if stop is None else stop
        return cuts(last, TILE_ENTRIES // (len(self.signs) * max(1, batch)), start)

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """(b, B, cosets), one per pair of opposed words; with tails (words of a coset, B, cosets)."""
        summed = torch.bmm(
            self.binned(z), self.signs[:, :, tile[0] : tile[1]].to(z.dtype)
        )
        half = torch.mm(self.inner.to(z.dtype), summed.flatten(1)).view_as(summed)
        if not self.tailed:
            return half
        tails = self.tail_scores(z, tile)
        if self.both_signs:
            return torch.cat([tails + half, tails - half])
        return tails + half

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the words of a tile."""
        b = len(self.inner)
        half = weights[:b] - weights[b:] if len(weights) > b else weights
        summed = torch.mm(self.inner.to(half.dtype), half.flatten(1)).view_as(half)
        signs = self.signs[:, :, tile[0] : tile[1]].to(half.dtype)
        sums = self.unbinned(torch.bmm(summed, signs.transpose(1, 2)))
        return sums + self.weighted_tails(weights.sum(0), tile) if self.tailed else sums

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Of all products of each row, and the mean word."""
        fused = self.fused.serves(z)
        if fused:
            return self.fused.log_sum_exp(z, with_mean)
        return tiled_log_sum_exp(z, self, with_mean)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of all words with weights B x num_words."""
        return coset_word_sums(weights, self)

    def top(self, z: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k largest: they lie in the k cosets whose best words are best, and only those are looked at again."""
        if self.fused.serves(z):
            return self.fused.top(z, k)
        best = z.new_empty(len(z), 0), z.new_empty(len(z), 0, dtype=torch.int64)
        for start, stop in cuts(self.signs.shape[2], HIGHEST_ENTRIES // max(1, len(z))):
            highest = z.new_empty(len(z), stop - start)
            for first, last in self.tiles(len(z), start, stop):
                scores = self.scores(z, (first, last))
                into = highest[:, first - start : last - start]
                torch.amax(scores, 0, out=into)
                if self.antipodal:
                    torch.maximum(into, scores.amin(0).neg_(), out=into)
            values, coset = highest.topk(min(k, stop - start), dim=1)
            best = merged_top(best, (values, coset + start), k)
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
        return values, cosets.gather(
            1, place // per_coset
        ) * per_coset + place % per_coset
