"""Blocks whose classes are some combinations of the values of parts: a dot product is a sum of table lookups."""

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock, Tile, cuts
from protosphere.nn.projections.block_products import block_products
from protosphere.nn.projections.part_tables import PartTables
from protosphere.nn.tracing import is_traced
from protosphere.nn.vectors import widened

TILE_ENTRIES = 1 << 19
"""Largest number of scores in memory at a time, 2 MB in float32."""


class CombinationsBlock(nn.Module, ProjectionBlock):
    """Block of points that are given by one value of each part.

    The dot products with the points of all parts are computed once per vector. With m parts, a class then takes m
    additions instead of n multiplications, and m small integers of memory instead of n floats.

    Attributes:
        tables: Points of the parts.
        values: Value of each part, one row per class: uint8, or a signed dtype for parts of more than 256 values.
    """

    kind = "combinations"
    values: Tensor

    def __init__(self, tables: PartTables, values: Tensor) -> None:
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
        """Return the B x P dot products of vectors with all points; without compiled loops if traced or exported."""
        recorded = torch.compiler.is_compiling() or torch.onnx.is_in_onnx_export()
        if not recorded and not is_traced():
            return block_products(z, self)
        return self._summed(self.tables(widened(z)), self.values).to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with these indices, one per row, in the dtype of `like`."""
        return self.tables.rows(self.values[index].long(), like)

    def tiles(self, batch: int) -> list[Tile]:
        """Return tiles that cover the points, small enough that the scores of `batch` vectors fit in the cache."""
        return cuts(self.num_points, TILE_ENTRIES // max(1, batch))

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Return the dot products of vectors with the points of a tile: (1, B, points)."""
        return self._summed(self.tables(z), self.values[tile[0] : tile[1]])[None]

    def _summed(self, entries: Tensor, values: Tensor) -> Tensor:
        """Return the B x classes sums of the table entries of each class's values."""
        places = values.long() + self.tables.offsets
        total = entries.index_select(1, places[:, 0])
        for part in range(1, len(self.tables.sizes)):
            total = total + entries.index_select(1, places[:, part])
        return total

    def write_products(self, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all points into `out`."""
        entries = self.tables(z)
        for first, last in self.tiles(len(z)):
            out[:, first:last] = self._summed(entries, self.values[first:last])

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """Return the B x n weighted sums of the points of a tile."""
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
        for part in range(len(self.tables.sizes)):
            total.index_add_(1, places[:, part], weights)
        return total
