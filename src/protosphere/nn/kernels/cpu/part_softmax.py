"""The float32 CPU backend for `AllCombinationsBlock` if the parts are small.

The classes of such a block are all combinations of one value of each of several parts. Each value of a part has a point
in the coordinates of the part. The point of a class consists of the points of its values. The log-sum-exp of some
numbers is the logarithm of the sum of their exponentials. The softmax is one compiled loop without tensor operations.
For three parts with 19, 21 and 28 values and a batch of 256, a tensor operation spends most of its time on overhead.
For larger parts, matrix products of torch are faster.
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
"""Largest number of points times coordinates of a part for which the compiled loop is faster than torch."""


class PartSoftmaxBackend(TorchBackend):
    """CPU backend for `AllCombinationsBlock` if the parts are small.

    A part is small if the number of its points times the number of its coordinates is at most 2^16. A compiled loop
    computes the softmax over the points of each part, for 16 vectors at a time.
    """

    name = "part_softmax"
    block_kinds: frozenset[str] | None = frozenset({"all combinations"})

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True if `rows` is a float32 tensor on the CPU, the block is on the CPU, and all its parts are small.

        A part is small if the number of its points times the number of its coordinates is at most 2^16.
        """
        if rows.dtype != torch.float32 or not in_memory(rows):
            return False
        tables = _combinations(block).tables
        return tables.largest <= MOST_NUMBERS and in_memory(tables.offsets)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points of a block, and optionally its gradient.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            with_mean: If True, the gradients are computed. If False, they are not.

        Returns:
            B log-sum-exps and B x n gradients. The gradient for a vector is the mean of the points, weighted by the
            softmax of the vector's dot products with the points. If `with_mean` is False, the tensor of gradients is
            empty, B x 0.
        """
        return self.softmax_terms(block, z, None, with_mean)[:2]

    def softmax_terms(
        self,
        block: ProjectionBlock,
        z: Tensor,
        index: Tensor | None,
        with_mean: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return, for each vector, a log-sum-exp, a weighted mean of the points of a block, and one chosen point.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            index: For each vector, the index of the chosen point in the block. If None, no points are returned.
            with_mean: If True, the weighted means are computed. If False, they are not.

        Returns:
            B log-sum-exps of the dot products of a vector with all points, B x n means of the points with the softmax
            of these dot products as weights, and B x n chosen points. If `with_mean` is False, the tensor of means is
            empty, B x 0. If `index` is None, the tensor of points is empty, B x 0.
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
    return cast("AllCombinationsBlock", block)


def _loops() -> Any:
    # imported on first use, because the import is slow
    from protosphere.nn.kernels.cpu import part_softmax_loops

    return part_softmax_loops
