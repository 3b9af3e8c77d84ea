"""Block of points for classes that have one value of each part, and for quantized classes, which also have codewords.

A class consists of parts, such as a color and a shape, and has one value of each part, such as red and round. Each
value has a point. A codebook is a list of vectors, its codewords. A quantized class also has one codeword of each
codebook, and a number, its factor.

The dot products of a vector with the points of all values and with all codewords are computed once, as a table. The dot
product with the point of a class is the sum of the entries for its values, plus the factor of the class times the sum
of the entries for its codewords. A tile is a range of consecutive classes whose dot products are computed together.
"""

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock, Tile, cuts
from protosphere.nn.projections.block_products import block_products
from protosphere.nn.projections.part_tables import PartTables
from protosphere.nn.projections.quantized_tables import QuantizedTables
from protosphere.nn.tracing import is_traced
from protosphere.nn.vectors import widened

TILE_ENTRIES = 1 << 19
"""Largest number of dot products in memory at a time, 2 MB in float32."""


class CombinationsBlock(nn.Module, ProjectionBlock):
    """Block of points for classes that consist of parts, or for quantized classes. There is one point per class.

    A class that consists of m parts, such as a color and a shape, has one value of each part. The dot products of a
    vector with the points of all values are computed once. The dot product with the point of a class is then a sum of m
    of these dot products. This sum takes m additions instead of n multiplications. A class takes m small integers of
    memory instead of n floats.

    A quantized class additionally has one codeword of each codebook, where a codebook is a list of vectors, its
    codewords. The point of a quantized class consists of the points of its values, followed by the sum of its
    codewords, which is multiplied by a number, the factor of the class.

    Attributes:
        tables: Module that computes the dot products with the points of all values and with all codewords: a
            `PartTables` for classes that consist of parts, or a `QuantizedTables` for quantized classes.
        values: Integer matrix with one row per class, and one column per part, followed by one column per codebook. The
            entries are the indices of the class's values and codewords. The dtype is uint8 or a signed integer dtype.
        factors: For each class, the factor by which the sum of its codewords is multiplied. If there are no codebooks,
            this is None.
    """

    kind = "combinations"
    values: Tensor
    factors: Tensor | None

    def __init__(
        self,
        tables: PartTables | QuantizedTables,
        values: Tensor,
        factors: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.num_points = len(values)
        self.scores_per_row = self.num_points
        self.dim = tables.dim
        self.tables = tables
        self.register_buffer("values", values, persistent=False)
        # four bytes per class; computing them in each call would take a third of the time of a training step
        self.register_buffer("factors", factors, persistent=False)

    def extra_repr(self) -> str:
        """Return a text for `print(model)`.

        It has the number of points, the number of values of each part, the number of codewords of each codebook, and
        the dimension.
        """
        return f"points={self.num_points}, sizes={self.tables.sizes}, dim={self.dim}"

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of the B vectors in the rows of `z` with all P points.

        While torch compiles, traces or exports the model, torch's standard operations are used instead of compiled
        loops.
        """
        recorded = torch.compiler.is_compiling() or torch.onnx.is_in_onnx_export()
        if not recorded and not is_traced():
            return block_products(z, self)
        every = (0, self.num_points)
        return self._summed(self.tables(widened(z)), every).to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with given indices, one per row.

        Args:
            index: Vector of indices of points in the block.
            like: Tensor whose dtype the points get.
        """
        values = self.values[index].long()
        if isinstance(self.tables, PartTables):
            return self.tables.rows(values, like)
        assert self.factors is not None, "quantized points have factors"
        return self.tables.rows(values, self.factors[index], like)

    def tiles(self, batch: int) -> list[Tile]:
        """Divide the classes into consecutive ranges: the pair (first, last) means the classes first, ..., last - 1.

        The ranges are so small that the dot products of `batch` vectors with the points of a range fit in the cache.

        Args:
            batch: Number of vectors.
        """
        return cuts(self.num_points, TILE_ENTRIES // max(1, batch))

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of B vectors with the points of a range of classes.

        Args:
            z: B x n vectors.
            tile: Range of classes: the index of the first class, and one past the index of the last.

        Returns:
            A tensor of shape (1, B, classes), with one column per class of the range.
        """
        return self._summed(self.tables(z), tile)[None]

    @property
    def num_plain(self) -> int:
        """Number of parts. The first `num_plain` columns of `values` belong to parts, and the others to codebooks."""
        tables = self.tables
        if isinstance(tables, QuantizedTables):
            return tables.num_parts
        return len(tables.sizes)

    def _summed(self, entries: Tensor, tile: Tile) -> Tensor:
        # `entries` has the dot products of the vectors with the points of all values and with all codewords.
        places = self._places(tile)
        total = entries.index_select(1, places[:, 0])
        for part in range(1, self.num_plain):
            total = total + entries.index_select(1, places[:, part])
        if self.factors is None:
            return total
        sums = entries.index_select(1, places[:, self.num_plain])
        for number in range(self.num_plain + 1, places.shape[1]):
            sums = sums + entries.index_select(1, places[:, number])
        factors = self.factors[tile[0] : tile[1]]
        return total + sums * factors.to(sums.dtype)

    def _places(self, tile: Tile) -> Tensor:
        # for each class, the columns of `self.tables(z)` that belong to its values, then those of its codewords
        return self.values[tile[0] : tile[1]].long() + self.tables.offsets

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all P points into `out`.

        Args:
            z: B x n vectors.
            out: B x P matrix that is overwritten.
        """
        entries = self.tables(z)
        for first, last in self.tiles(len(z)):
            out[:, first:last] = self._summed(entries, (first, last))

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n weighted sums of the points of a range of classes.

        Args:
            weights: Tensor of shape (1, B, classes), with one column of weights per class of the range.
            tile: Range of classes: the index of the first class, and one past the index of the last.
        """
        own = self._collected(weights[0], tile)
        return self.tables.weighted_sum(own)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all P points.

        Args:
            weights: B x P weights of the points, one row for each sum.
        """
        every = (0, self.num_points)
        return self.tables.weighted_sum(self._collected(weights, every))

    def _collected(self, weights: Tensor, tile: Tile) -> Tensor:
        # For each value and codeword, the weights of the classes that have it are added. For codewords, each weight
        # is first multiplied by the factor of its class. This is the transpose of `_summed`.
        places = self._places(tile)
        shape = (len(weights), self.tables.num_entries)
        total = weights.new_zeros(shape)
        for part in range(self.num_plain):
            total.index_add_(1, places[:, part], weights)
        if self.factors is None:
            return total
        factors = self.factors[tile[0] : tile[1]]
        scaled = weights * factors.to(weights.dtype)
        for number in range(self.num_plain, places.shape[1]):
            total.index_add_(1, places[:, number], scaled)
        return total
