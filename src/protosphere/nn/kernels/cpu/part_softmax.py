"""The float32 CPU backend for blocks of all combinations of the values of small parts.

The softmax is one compiled loop without tensor operations. For parts of 19, 21 and 28 values and a batch of 256, most
of the time of a tensor operation would be overhead. For larger parts, matrix products of torch are faster.
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
"""Largest size of a part, points times coordinates, for which the compiled loop is faster than torch."""


class PartSoftmaxBackend(TorchBackend):
    """CPU backend for blocks of all combinations of the values of small parts.

    It computes the softmax of 16 vectors at a time.
    """

    name = "part_softmax"
    block_kinds: frozenset[str] | None = frozenset({"all combinations"})

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True if the rows are a float32 tensor on the CPU, and the block's tables are small and on the CPU too.

        The table of a part is small if it has at most `MOST_NUMBERS` numbers.
        """
        if rows.dtype != torch.float32 or not in_memory(rows):
            return False
        tables = _combinations(block).tables
        return tables.largest <= MOST_NUMBERS and in_memory(tables.offsets)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and on request its gradient.

        If `with_mean` is True, the second result is the gradient: the mean of the points, weighted by the softmax of
        the dot products. Otherwise the second result is empty.
        """
        return self.softmax_terms(block, z, None, with_mean)[:2]

    def softmax_terms(
        self,
        block: ProjectionBlock,
        z: Tensor,
        index: Tensor | None,
        with_mean: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the results of `log_sum_exp`, and one point for each vector, given by its index, in one pass.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            index: B indices of points in the block; None to omit the points.
            with_mean: Whether to compute the means of the points, weighted by the softmax of the dot products.

        Returns:
            B log-sum-exps, B x n weighted means and B x n points. Means and points that are omitted are empty B x 0
            tensors.
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
