"""Block of points of classes that consist of parts, and of quantized points; dot products are sums of table entries."""

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
    """Block of points of classes that consist of parts, where a class has one value of each part.

    The dot products of a vector with the points of all parts are computed once. With m parts, the dot product with a
    class then takes m additions instead of n multiplications, and the class takes m small integers of memory instead of
    n floats. The block also supports quantized points (see `QuantizedTables`). Such a point additionally has codewords,
    whose sum is multiplied by a factor of the class. The factors are computed in each call and not stored, because they
    would take four bytes per class.

    Attributes:
        tables: Module that computes the dot products with the points of all parts: a `PartTables` for classes that
            consist of parts, or a `QuantizedTables` for quantized points.
        values: Index of the value of each part, one row per class: uint8, or a signed dtype for parts of more than 256
            values.
    """

    kind = "combinations"
    values: Tensor

    def __init__(self, tables: PartTables | QuantizedTables, values: Tensor) -> None:
        super().__init__()
        self.num_points = len(values)
        self.scores_per_row = self.num_points
        self.dim = tables.dim
        self.tables = tables
        self.register_buffer("values", values, persistent=False)

    def extra_repr(self) -> str:
        """Return the number of points, the sizes of the parts and the dimension, for `print(model)`."""
        return f"points={self.num_points}, sizes={self.tables.sizes}, dim={self.dim}"

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of vectors with all points.

        While torch records a graph, standard operations are used instead of compiled loops.
        """
        recorded = torch.compiler.is_compiling() or torch.onnx.is_in_onnx_export()
        if not recorded and not is_traced():
            return block_products(z, self)
        return self._summed(self.tables(widened(z)), self.values).to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with these indices, one per row, in the dtype of `like`."""
        return self.tables.rows(self.values[index].long(), like)

    def tiles(self, batch: int) -> list[Tile]:
        """Return tiles that cover the points, so small that the dot products with `batch` vectors fit in the cache."""
        return cuts(self.num_points, TILE_ENTRIES // max(1, batch))

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of vectors with the points of a tile, as a tensor of shape (1, B, points)."""
        return self._summed(self.tables(z), self.values[tile[0] : tile[1]])[None]

    def factors(self, values: Tensor, dtype: torch.dtype) -> Tensor | None:
        """Return the factor by which the sum of the codewords of each class is multiplied; None without codewords.

        Args:
            values: Indices of the values and codewords, one row per class.
            dtype: Dtype of the factors.
        """
        if isinstance(self.tables, QuantizedTables):
            return self.tables.factors(values, dtype)
        return None

    @property
    def num_plain(self) -> int:
        """Number of parts: the first columns of `values`, whose points are not multiplied by a factor of the class."""
        tables = self.tables
        if isinstance(tables, QuantizedTables):
            return tables.num_parts
        return len(tables.sizes)

    def _summed(self, entries: Tensor, values: Tensor) -> Tensor:
        """Return the B x classes dot products, computed as sums of `entries` for the values of each class."""
        places = values.long() + self.tables.offsets
        factors = self.factors(values, entries.dtype)
        total = entries.index_select(1, places[:, 0])
        for part in range(1, self.num_plain):
            total = total + entries.index_select(1, places[:, part])
        if factors is None:
            return total
        sums = entries.index_select(1, places[:, self.num_plain])
        for number in range(self.num_plain + 1, places.shape[1]):
            sums = sums + entries.index_select(1, places[:, number])
        return total + sums * factors

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all points into `out`."""
        entries = self.tables(z)
        for first, last in self.tiles(len(z)):
            out[:, first:last] = self._summed(entries, self.values[first:last])

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n sums of the points of a tile, weighted by (1, B, points) `weights`."""
        own = self._collected(weights[0], self.values[tile[0] : tile[1]])
        return self.tables.weighted_sum(own)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n sums of all points, weighted by B x P `weights`."""
        return self.tables.weighted_sum(self._collected(weights, self.values))

    def _collected(self, weights: Tensor, values: Tensor) -> Tensor:
        """Return the summed weights of the classes that have each value of each part: the transpose of `_summed`."""
        places = values.long() + self.tables.offsets
        shape = (len(weights), self.tables.num_entries)
        total = weights.new_zeros(shape)
        for part in range(self.num_plain):
            total.index_add_(1, places[:, part], weights)
        factors = self.factors(values, weights.dtype)
        if factors is None:
            return total
        scaled = weights * factors
        for number in range(self.num_plain, places.shape[1]):
            total.index_add_(1, places[:, number], scaled)
        return total
