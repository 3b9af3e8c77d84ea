"""The kernel backend that uses tensor operations of torch and supports every block, device and dtype.

A kernel backend computes dot products with the points of a block, and sums over these points. A block has P points of
dimension n, which are prototypes of a head. The log-sum-exp of some numbers is the logarithm of the sum of their
exponentials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK


class TorchBackend:
    """Kernel backend that calls the tensor operations of each block."""

    name = "torch"
    block_kinds: frozenset[str] | None = None

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True, because tensor operations support every block, and vectors `rows` of every dtype and device."""
        del block, rows
        return True

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the dot products of vectors with all points of a block into `out`.

        Args:
            block: Block with P points of dimension n.
            z: B x n vectors.
            out: B x P tensor, which is overwritten.
        """
        block.write_products(z, out)

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of the points of a block, one for each row of weights.

        Args:
            block: Block with P points of dimension n.
            weights: B x P weights of the points.
        """
        return block.weighted_sum(weights)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points of a block, and optionally its gradient.

        Args:
            block: Block with P points of dimension n.
            z: B x n vectors.
            with_mean: If True, the gradients are computed. If False, they are not.

        Returns:
            The B log-sum-exps, and the B x n gradients. Row i of the gradients is the mean of the points, weighted by
            the softmax of the dot products of vector i with the points. If `with_mean` is False, the second tensor is
            empty, B x 0.
        """
        return block.log_sum_exp(z, with_mean)

    def softmax_terms(
        self, block: ProjectionBlock, z: Tensor, index: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-sum-exps of dot products with the points of a block, their gradients, and one point per vector.

        Args:
            block: Block with P points of dimension n.
            z: B x n vectors.
            index: B indices of points in the block, one for each vector.
            with_mean: If True, the gradients are computed. If False, they are not.

        Returns:
            The B log-sum-exps of each vector's dot products with all points; the B x n gradients of the log-sum-exps,
            or an empty B x 0 tensor if `with_mean` is False; and the B x n points with the indices `index`.
        """
        value, mean = self.log_sum_exp(block, z, with_mean)
        return value, mean, block.rows(index, z)

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each vector with the points of a block, and the indices of these points.

        Args:
            block: Block with P points of dimension n.
            z: B x n vectors.
            k: Number of points, at most P.

        Returns:
            B x k dot products in descending order, and the B x k indices of the points.
        """
        return block.top_k(z, k)
