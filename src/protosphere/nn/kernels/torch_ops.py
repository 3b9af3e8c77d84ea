"""The kernel backend that uses tensor operations. It supports every block, device and dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK


class TorchBackend:
    """Backend that calls the tensor operations of each block (see `ProjectionBlock`)."""

    name = "torch"
    block_kinds: frozenset[str] | None = None

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True, because tensor operations support every block and every tensor."""
        del block, rows
        return True

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all points of the block into `out`."""
        block.write_products(z, out)

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return the matrix product of the B x P `weights` and the P x n points of the block."""
        return block.weighted_sum(weights)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and optionally its gradient.

        If `with_mean` is True, the second tensor has the gradients: row i is the mean of the points, weighted by the
        softmax of the dot products of vector i with the points. Otherwise the second tensor is empty.
        """
        return block.log_sum_exp(z, with_mean)

    def softmax_terms(
        self, block: ProjectionBlock, z: Tensor, index: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the two results of `log_sum_exp`, and a matrix whose row i is the point `index[i]` of the block."""
        value, mean = self.log_sum_exp(block, z, with_mean)
        return value, mean, block.rows(index, z)

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each vector with the points, in descending order, and their indices."""
        return block.top_k(z, k)
