"""The CPU backend for all combinations of values of small parts in float32: one compiled loop, no tensor calls.

With sizes 19, 21 and 28 and a batch of 256, the operands are so small that tensor calls take their time to start, not
to compute. Larger parts are faster as matrix products of torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from protosphere.nn.kernels.torch_ops import TorchBackend
from protosphere.nn.tracing import in_memory

if TYPE_CHECKING:
    from protosphere.nn.projections.all_combinations import AllCombinationsBlock
    from protosphere.nn.projections.block import ProjectionBlock

MOST_NUMBERS = 1 << 16
"""Largest number of coordinates of all points of a part for which the compiled loop is faster than torch."""


class PartSoftmaxBackend(TorchBackend):
    """Backend for all combinations of small parts, which computes the softmax of 16 vectors at a time."""

    name = "part_softmax"
    block_kinds: frozenset[str] | None = frozenset({"all combinations"})

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True if block and rows are float32 tensors on the CPU, and the parts are small."""
        if rows.dtype != torch.float32 or not in_memory(rows):
            return False
        tables = _combinations(block).tables
        return tables.largest <= MOST_NUMBERS and in_memory(tables.offsets)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and its gradient (the mean point)."""
        return self.softmax_terms(block, z, None, with_mean)[:2]

    def softmax_terms(
        self,
        block: ProjectionBlock,
        z: Tensor,
        index: Tensor | None,
        with_mean: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the results of `log_sum_exp`, and the points of an index, in one pass.

        Args:
            block: P points of R^n.
            z: B x n vectors.
            index: B indices of points, or None.
            with_mean: Whether to compute the mean point under the softmax of the dot products.

        Returns:
            B log-sum-exps, B x n means and B x n points; empty B x 0 tensors for what is not requested.
        """
        batch, dim = z.shape
        value = z.new_zeros(batch)
        mean = z.new_zeros(batch, dim if with_mean else 0)
        own = z.new_zeros(batch, 0 if index is None else dim)
        if index is None:
            index = torch.empty(0, dtype=torch.int64)
        step = block.num_points
        given = z.contiguous().numpy(), index.numpy()
        written = value.numpy(), mean.numpy(), own.numpy()
        for points, column, _ in _combinations(block).tables.runs(z.dtype):
            count, size, width = points.shape
            step //= size**count
            flat = points.flatten().numpy()
            shape = (count, size, width)
            _loops().add_part_softmax(*given, flat, shape, column, step, *written)
        return value, mean, own


def _combinations(block: ProjectionBlock) -> AllCombinationsBlock:
    """Return the block unchanged, with its type narrowed for the type checker."""
    return cast("AllCombinationsBlock", block)


def _loops() -> Any:
    """Return the module of compiled loops, imported on first use because the import is slow."""
    from protosphere.nn.kernels.cpu import part_softmax_loops

    return part_softmax_loops
