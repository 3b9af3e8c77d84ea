"""Block of points that are codewords in cosets of a small linear code.

Two small matrix products give the dot products of a vector z with all codewords. The small code consists either of b
codewords, or of b codewords and their antipodes. Let H be Sylvester's Hadamard matrix of order b. The n coordinates x
of the codewords are divided into b bins, and p(x) is the index of the bin of coordinate x. Codeword a of the b
codewords has the sign H[p(x), a] at coordinate x. Let s_c(x) be the signs of one codeword of coset c. Then codeword a
of coset c has the signs s_c(x) H[p(x), a]. The dot products are computed in two steps:

    y[i, c] = sum of z(x) s_c(x) over the coordinates x in bin i       (one matrix product for each bin)
    z . codeword(c, a) = sum of H[i, a] y[i, c] over all bins i        (one matrix product with H)

For each codeword, the first step takes n/b multiplications and the second step takes b, while a product with the matrix
of all codewords takes n. A value of b near sqrt(n) is best.

The codewords of a union of cosets of RM(1, m), or of any binary linear code, can be divided into such cosets. If the
small code has b codewords and their antipodes, each of the b codewords of a coset is followed by its antipode, and one
dot product is computed for the two.

A point consists of the entries of a codeword, multiplied by a coefficient, followed by a glue vector: further
coordinates, which are equal for all points of a coset and may be absent. The block has three flags. `both_signs` is
True if the small code consists of b codewords and their antipodes, and False if it consists of b codewords. `glued` is
True if at least one glue vector is nonzero. `antipodal` is True if `both_signs` is True and `glued` is False: then,
with each point x, the block has the point -x. A tile is a range of consecutive cosets.
"""

import torch
from torch import Tensor, nn

from protosphere.nn.kernels.buffers import as_tensor, with_torch_strides
from protosphere.nn.projections.block import (
    ProjectionBlock,
    Tile,
    TopK,
    cuts,
    empty_top_k,
    merged_top_k,
)
from protosphere.nn.projections.block_products import block_products
from protosphere.nn.projections.coset_tables import CosetTables
from protosphere.nn.projections.hadamard_layout import HadamardLayout, split_bits
from protosphere.nn.tracing import is_traced
from protosphere.nn.vectors import widened

TILE_ENTRIES = 1 << 19
"""Largest number of dot products in memory at a time: 2 MB in float32, so that they fit in the cache."""

HIGHEST_ENTRIES = 1 << 20
"""Largest number of pairs of a coset and a vector whose largest dot products are in memory at a time."""


class HadamardBlock(nn.Module, ProjectionBlock):
    """Block of P points that are codewords in cosets of a small linear code.

    The first coordinates of a point are the signs (+1 or -1) of a codeword times `coefficient`. The other coordinates,
    if any, are called its glue vector. All points of a coset have the same glue vector.

    So that the matrix products take less time, the cosets of `layout` are split into C cosets of a linear code with
    fewer codewords, the small code. If `both_signs` is False, the small code has b codewords; if it is True, the small
    code has 2b codewords. The coordinates x of the codewords are divided into b bins, numbered from 0. Let H be
    Sylvester's Hadamard matrix of order b. The codewords of coset c have the signs s_c(x) H[i, a] at the coordinates x
    of bin i, for a = 0, ..., b - 1, where s_c(x) are the signs of one codeword of the coset. If `both_signs` is True,
    the antipodes of these codewords belong to the coset, too.

    Args:
        layout: Description of the codewords, their cosets and their glue vectors.
        dtype: Dtype of the buffers.

    Attributes:
        coset_tables: The cosets of the layout before they are split, for kernels that use fast transforms.
        coefficient: Factor by which the signs of a codeword are multiplied in a point.
        length: Length of the codewords.
        both_signs: If True, a coset has 2b codewords, and each of b codewords is followed by its antipode. If False, a
            coset has b codewords.
        glued: Whether at least one glue vector is nonzero.
        antipodal: True if `both_signs` is True and `glued` is False. Then each score (dot product) stands for a point
            and its antipode. If False, each score stands for one point.
        signs: (b, L, C) signs s_c(x) of the coordinates x of each bin, padded with zeros to the size L of the largest
            bin.
        columns: Indices of the coordinates of the first bin, then of the second bin, and so on. The indices of each bin
            are padded with zeros to L indices.
        inner: The b x b Sylvester matrix H.
        outer: Matrix with one column per point of a coset. If `both_signs` is False, it is H. Otherwise, each column of
            H is followed by its negative.
        glue_vectors: Glue vectors, one per row. If the points have no glue vectors, the rows are empty.
        glue_of: For each of the C cosets, the index of its glue vector.
    """

    kind = "cosets"
    signs: Tensor
    columns: Tensor
    inner: Tensor
    outer: Tensor
    glue_vectors: Tensor
    glue_of: Tensor

    def __init__(self, layout: HadamardLayout, dtype: torch.dtype) -> None:
        super().__init__()
        self.num_points = len(layout.representatives) * layout.per_coset
        self.scores_per_row = self.num_points
        self.dim = layout.dim
        self.length = layout.length
        self.coefficient = layout.coefficient
        self.both_signs = layout.antipodal
        self.glued = layout.glue_vectors.shape[1] > 0 and bool(
            layout.glue_vectors.any()
        )
        self.antipodal = layout.antipodal and not self.glued
        self.coset_tables = CosetTables(layout)
        small = layout.split(split_bits(layout.length))
        for name, array in small.arrays().items():
            tensor = with_torch_strides(as_tensor(array))
            if tensor.is_floating_point():
                tensor = tensor.to(dtype)
            self.register_buffer(name, tensor, persistent=False)

    @property
    def num_cosets(self) -> int:
        """Number C of cosets of the small code, into which the cosets of the layout are split."""
        return self.signs.shape[2]

    @property
    def per_coset(self) -> int:
        """Number of points of each of the C cosets: b for b bins, or 2b if `both_signs` is True."""
        return self.outer.shape[1]

    def extra_repr(self) -> str:
        """Return a text with the number of cosets, the points per coset and the dimension, for `print(model)`."""
        return f"cosets={self.num_cosets}, codewords={self.per_coset}, dim={self.dim}"

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of the B rows of `z` with all P points.

        While torch compiles, traces or exports the model, standard operations are used instead of compiled loops.
        """
        recorded = torch.compiler.is_compiling() or torch.onnx.is_in_onnx_export()
        if not recorded and not is_traced():
            return block_products(z, self)
        wide = widened(z)
        summed = torch.bmm(self.binned(wide), self.signs.to(wide.dtype))
        products = torch.matmul(summed.permute(1, 2, 0), self.outer.to(wide.dtype))
        if self.glued:
            glue = self.glue_scores(wide, (0, self.num_cosets))
            products = products + glue[:, :, None]
        return products.flatten(1).to(z.dtype)

    def binned(self, z: Tensor) -> Tensor:
        """Return the first `length` coordinates of the B rows of `z`, times `coefficient`, in the order of the bins.

        The coordinates of codewords are divided into b bins of at most L coordinates. The result has the shape (b, B,
        L). Entry (i, j, l) belongs to row j of `z` and coordinate l of bin i. If bin i has fewer than L coordinates,
        its other entries have no meaning. They do not change dot products, because the entries of `signs` in the same
        places are 0.
        """
        b, size, _ = self.signs.shape
        scaled = z[:, : self.length] * self.coefficient
        ordered = scaled.index_select(1, self.columns)
        return ordered.view(z.shape[0], b, size).transpose(0, 1)

    def unbinned(self, sums: Tensor) -> Tensor:
        """Return B x n vectors whose coordinates are the numbers in `sums` times `coefficient`.

        Each number is moved from its place in a bin to its coordinate. The coordinates of the glue vectors are 0. This
        linear map is the transpose of the linear map that `binned` computes.

        Args:
            sums: (b, B, L) numbers. Entry (i, j, l) belongs to vector j and coordinate l of bin i, and L is the size of
                the largest of the b bins. If bin i has fewer than L coordinates, its other entries are 0.
        """
        flat = sums.transpose(0, 1).flatten(1) * self.coefficient
        return flat.new_zeros(flat.shape[0], self.dim).index_add_(1, self.columns, flat)

    def glue_scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of vectors with the glue vectors of a range of cosets, one column per coset.

        Args:
            z: B x n vectors. Only their last coordinates, those of the glue vectors, are used.
            tile: Range of cosets: the index of the first coset, and one past the index of the last.
        """
        products = z[:, self.length :] @ self.glue_vectors.to(z.dtype).T
        return products[:, self.glue_of[tile[0] : tile[1]]]

    def weighted_glue(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n weighted sums of the glue vectors of a range of cosets.

        The glue vectors are the last coordinates of the points, so the first `length` coordinates of the result are 0.

        Args:
            weights: Matrix with B rows and one column per coset of the range.
            tile: Range of cosets: the index of the first coset, and one past the index of the last.
        """
        glue = self.glue_vectors.to(weights.dtype)[self.glue_of[tile[0] : tile[1]]]
        return nn.functional.pad(weights @ glue, (self.length, 0))

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with the indices in `index`, one per row, in the dtype of the tensor `like`."""
        coset = index // self.per_coset
        number = index % self.per_coset
        signed = self.signs[:, :, coset] * self.outer[:, None, number]
        rows = self.unbinned(signed.permute(0, 2, 1).to(like.dtype))
        if self.glued:
            rows[:, self.length :] = self.glue_vectors[self.glue_of[coset]].to(
                like.dtype
            )
        return rows

    def tiles(self, batch: int, start: int = 0, stop: int | None = None) -> list[Tile]:
        """Divide the cosets start, ..., stop - 1 into consecutive ranges.

        Args:
            batch: Number of vectors.
            start: Index of the first coset.
            stop: One past the index of the last coset. By default, it is the number of cosets.

        Returns:
            For each range, the index of its first coset, and one past the index of its last coset. The dot products of
            `batch` vectors with the points of a range fit in the cache.
        """
        last = self.num_cosets if stop is None else stop
        return cuts(last, TILE_ENTRIES // (len(self.signs) * max(1, batch)), start)

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of vectors with the points of a range of cosets.

        Args:
            z: B x n vectors.
            tile: Range of cosets: the index of the first coset, and one past the index of the last.

        Returns:
            A tensor of shape (p, B, cosets), with p entries for each vector and coset. Let b be the order of the
            Hadamard matrix `inner`. There are three cases:

            - If `both_signs` is False, p is b. A coset has b points, and each entry belongs to one of them.
            - If `both_signs` is True and `glued` is False, p is b. A coset has 2b points, and each entry belongs to a
              point and its antipode: the entry is the dot product with the point.
            - If `both_signs` and `glued` are True, p is 2b. A coset has 2b points: the first b entries of the first
              axis belong to codewords, and the other b entries to the antipodes of these codewords.
        """
        signs = self.signs[:, :, tile[0] : tile[1]].to(z.dtype)
        summed = torch.bmm(self.binned(z), signs)
        half = torch.mm(self.inner.to(z.dtype), summed.flatten(1)).view_as(summed)
        if not self.glued:
            return half
        glue = self.glue_scores(z, tile)
        if self.both_signs:
            return torch.cat([glue + half, glue - half])
        return glue + half

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n weighted sums of the points of a range of cosets.

        There are p weights for each sum and coset. Let b be the order of the Hadamard matrix `inner`. There are three
        cases:

        - If `both_signs` is False, p is b. A coset has b points, and each entry is the weight of one of them.
        - If `both_signs` is True and `glued` is False, p is b. A coset has 2b points, and each entry is the weight of a
          point minus the weight of its antipode.
        - If `both_signs` and `glued` are True, p is 2b. A coset has 2b points: the first b entries of the first axis
          belong to codewords, and the other b entries to the antipodes of these codewords.

        Args:
            weights: Tensor of shape (p, B, cosets).
            tile: Range of cosets: the index of the first coset, and one past the index of the last.
        """
        b = len(self.inner)
        half = weights[:b] - weights[b:] if len(weights) > b else weights
        summed = torch.mm(self.inner.to(half.dtype), half.flatten(1)).view_as(half)
        signs = self.signs[:, :, tile[0] : tile[1]].to(half.dtype)
        sums = self.unbinned(torch.bmm(summed, signs.transpose(1, 2)))
        if self.glued:
            return sums + self.weighted_glue(weights.sum(0), tile)
        return sums

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of the B rows of `z` with all P points into `out`."""
        b, per_coset = self.outer.shape
        by_coset = out.view(len(z), self.num_cosets, per_coset)
        binned = self.binned(z).contiguous()
        outer = self.outer.to(z.dtype).expand(len(z), b, per_coset)
        for start, stop in self.tiles(len(z)):
            summed = torch.bmm(binned, self.signs[:, :, start:stop].to(z.dtype))
            torch.bmm(summed.permute(1, 2, 0), outer, out=by_coset[:, start:stop])
        if self.glued:
            by_coset += self.glue_scores(z, (0, self.num_cosets))[:, :, None]

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all P points, given the B x P `weights`."""
        b, per_coset = self.outer.shape
        batch = len(weights)
        by_coset = weights.reshape(batch, self.num_cosets, per_coset)
        sums = weights.new_zeros(b, batch, self.signs.shape[1])
        outer = self.outer.to(weights.dtype).expand(batch, b, per_coset)
        for start, stop in self.tiles(batch):
            tile = by_coset[:, start:stop].transpose(1, 2)
            summed = torch.bmm(outer, tile).transpose(0, 1)
            signs = self.signs[:, :, start:stop].to(weights.dtype)
            sums += torch.bmm(summed, signs.transpose(1, 2))
        total = self.unbinned(sums)
        if self.glued:
            return total + self.weighted_glue(by_coset.sum(2), (0, self.num_cosets))
        return total

    def top_k(self, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each row of `z` with the points, in descending order, and their indices.

        Both tensors have one row for each row of `z`, and k columns. The indices are those of the points in this block.
        """
        # the k points to find are in the k cosets whose largest dot products are largest
        best = empty_top_k(z)
        for start, stop in cuts(self.num_cosets, HIGHEST_ENTRIES // max(1, len(z))):
            highest = self._highest(z, start, stop)
            values, coset = highest.topk(min(k, stop - start), dim=1)
            best = merged_top_k(best, (values, coset + start), k)
        return self._top_k_within(z, best[1], k)

    def _highest(self, z: Tensor, start: int, stop: int) -> Tensor:
        # column j belongs to coset start + j
        highest = z.new_empty(len(z), stop - start)
        for first, last in self.tiles(len(z), start, stop):
            scores = self.scores(z, (first, last))
            into = highest[:, first - start : last - start]
            torch.amax(scores, 0, out=into)
            if self.antipodal:
                torch.maximum(into, scores.amin(0).neg_(), out=into)
        return highest

    def _top_k_within(self, z: Tensor, cosets: Tensor, k: int) -> TopK:
        # row i of `cosets` has the indices of the cosets for row i of `z`
        chosen = self.signs[:, :, cosets].to(z.dtype)
        summed = torch.einsum("zbl,lzbc->zbc", self.binned(z), chosen.transpose(0, 1))
        scores = torch.einsum("zbc,zw->bcw", summed, self.outer.to(z.dtype))
        if self.glued:
            glue = self.glue_scores(z, (0, self.num_cosets))
            scores = scores + glue.gather(1, cosets)[:, :, None]
        values, place = scores.flatten(1).topk(k, dim=1)
        coset = cosets.gather(1, place // self.per_coset)
        return values, coset * self.per_coset + place % self.per_coset
