"""The float32 CPU backend for `CombinationsBlock`: classes that consist of parts, or quantized classes.

A class that consists of parts has one value of each part, such as a color and a shape. A codebook is a list of vectors,
its codewords. A quantized class also has one codeword of each codebook. Compiled loops compute the dot product of a
vector with the point of a class as a sum of entries of a lookup table: the dot products of the vector with the points
of the values and with the codewords. A tile consists of 256 consecutive classes; the last tile may be smaller.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protosphere.nn.kernels.buffers import aligned_zeros, as_tensor
from protosphere.nn.kernels.torch_ops import TorchBackend
from protosphere.nn.tracing import in_memory

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK
    from protosphere.nn.projections.combinations import CombinationsBlock

CHOSEN_ENTRIES = 1 << 22
"""Largest number of scores that `top_k` keeps in memory at a time: 16 MB in float32."""


class PartLookupsBackend(TorchBackend):
    """CPU backend for `CombinationsBlock`, whose classes consist of parts or are quantized.

    Compiled loops compute dot products as sums of rows of a lookup table, for 16 vectors at a time.
    """

    name = "part_lookups"
    block_kinds: frozenset[str] | None = frozenset({"combinations"})

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True if `rows` is a float32 tensor on the CPU, and the block is on the CPU, too."""
        if rows.dtype != torch.float32:
            return False
        return in_memory(rows) and in_memory(_lookups(block).values)

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all P points of a block into `out`.

        Args:
            block: A `CombinationsBlock` on the CPU.
            z: B x n vectors in float32.
            out: B x P tensor for the results.
        """
        lookups = _lookups(block)
        entries = _to_lanes(lookups.tables(z))
        _loops().write_scores(entries, *_loop_arguments(lookups), out.numpy())

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all P points of a block.

        Args:
            block: A `CombinationsBlock` on the CPU.
            weights: B x P weights in float32.
        """
        lookups = _lookups(block)
        collected = _empty_lanes(len(weights), lookups.tables.num_entries)
        given = weights.contiguous().numpy()
        _loops().add_weights(given, *_loop_arguments(lookups), collected)
        return lookups.tables.weighted_sum(_from_lanes(collected, len(weights)))

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points of a block, and optionally its gradient.

        Args:
            block: A `CombinationsBlock` on the CPU.
            z: B x n vectors in float32.
            with_mean: If True, the gradients are computed. If False, they are not.

        Returns:
            B log-sum-exps, and B x n gradients. Gradient i is the mean of the points, weighted by the softmax of the
            dot products of vector i with the points. If `with_mean` is False, the second tensor is empty, B x 0.
        """
        lookups = _lookups(block)
        entries = _to_lanes(lookups.tables(z))
        width = _loops().LANES
        shifts = np.empty((len(entries), width), np.float32)
        sums = np.empty((len(entries), width), np.float64)
        collected = entries[:0]
        if with_mean:
            collected = _empty_lanes(len(z), lookups.tables.num_entries)
        _loops().write_lookup_sums(
            entries, *_loop_arguments(lookups), shifts, sums, collected
        )
        total = as_tensor(sums).flatten()[: len(z)]
        value = as_tensor(shifts).flatten()[: len(z)] + total.log()
        if not with_mean:
            return value.to(z.dtype), z.new_empty(len(z), 0)
        shares = _from_lanes(collected, len(z)) / total[:, None].to(z.dtype)
        return value.to(z.dtype), lookups.tables.weighted_sum(shares)

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each vector with the points of a block, and the indices of these points.

        Args:
            block: A `CombinationsBlock` on the CPU, with P points.
            z: B x n vectors in float32.
            k: Number of points, at most P.

        Returns:
            B x k dot products in descending order, and the B x k indices of the points in the block.
        """
        # The first pass computes only the largest dot product of each tile. The k points with the largest dot products
        # are in the k tiles with the largest of these maxima, so the second pass looks at those tiles only.
        lookups = _lookups(block)
        entries = lookups.tables(z)
        lanes = _to_lanes(entries)
        tiles = -(-block.num_points // _loops().TILE)
        highest = np.empty((len(lanes), tiles, _loops().LANES), np.float32)
        classes = _loop_arguments(lookups)
        _loops().write_highest_lookups(lanes, *classes, highest)
        by_vector = as_tensor(highest).transpose(1, 2).flatten(0, 1)[: len(z)]
        best = by_vector.topk(min(k, tiles), dim=1).indices
        size = max(1, CHOSEN_ENTRIES // (best.shape[1] * _loops().TILE))
        values: list[Tensor] = []
        indices: list[Tensor] = []
        for start in range(0, max(1, len(z)), size):
            rows = slice(start, start + size)
            found = _top_k_within(lookups, classes[2], entries[rows], best[rows], k)
            values.append(found[0])
            indices.append(found[1])
        return torch.cat(values), torch.cat(indices)


def _top_k_within(
    lookups: CombinationsBlock,
    factors: NDArray[np.float32],
    entries: Tensor,
    tiles: Tensor,
    k: int,
) -> TopK:
    # Only the points of the given tiles of a vector are compared. `entries` has the dot products with the points of all
    # values and with all codewords. The sum of the dot products with the codewords of a class is multiplied by its
    # factor; without codebooks, `factors` is empty.
    tile = _loops().TILE
    classes = (tiles[:, :, None] * tile + torch.arange(tile)).flatten(1)
    inside = classes < lookups.num_points
    classes_or_last = classes.clamp(max=lookups.num_points - 1)
    values = lookups.values[classes_or_last]
    offsets = lookups.tables.offsets
    scores = entries.new_zeros(classes.shape)
    for number in range(lookups.num_plain, len(offsets)):
        scores += entries.gather(1, values[:, :, number].long() + offsets[number])
    if len(factors):
        scores *= as_tensor(factors)[classes_or_last]
    for part in range(lookups.num_plain):
        scores += entries.gather(1, values[:, :, part].long() + offsets[part])
    found = scores.masked_fill(~inside, -torch.inf).topk(k, dim=1)
    return found.values, classes.gather(1, found.indices)


def _lookups(block: ProjectionBlock) -> CombinationsBlock:
    return cast("CombinationsBlock", block)


def _loop_arguments(
    lookups: CombinationsBlock,
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.float32], int]:
    values = lookups.values.numpy()
    offsets = lookups.tables.offsets.numpy()
    factors = np.empty(0, np.float32)
    if lookups.factors is not None:
        factors = lookups.factors.float().numpy()
    return values, offsets, factors, lookups.num_plain


def _empty_lanes(batch: int, entries: int) -> NDArray[np.float32]:
    width = _loops().LANES
    return aligned_zeros((-(-batch // width), entries * width))


def _to_lanes(entries: Tensor) -> NDArray[np.float32]:
    # LANES consecutive rows of the matrix form a group; the last group is filled with zero rows. The result has one
    # row for each group: number j * LANES + i of this row is entry j of row i of the group.
    batch, count = entries.shape
    lanes = _empty_lanes(batch, count)
    width = _loops().LANES
    by_group = as_tensor(lanes).view(len(lanes), count, width)
    whole = batch // width
    full = entries[: whole * width].view(whole, width, count)
    by_group[:whole] = full.transpose(1, 2)
    if whole < len(lanes):
        rest = entries[whole * width :]
        by_group[whole, :, : len(rest)] = rest.T
    return lanes


def _from_lanes(lanes: NDArray[np.float32], batch: int) -> Tensor:
    width = _loops().LANES
    count = lanes.shape[1] // width
    by_group = as_tensor(lanes).view(
        len(lanes), count, width
    )  # rows of the matrix, in groups
    return by_group.transpose(1, 2).flatten(0, 1)[:batch]


def _loops() -> Any:
    # imported on first use, because the import is slow
    from protosphere.nn.kernels.cpu import lookups

    return lookups
