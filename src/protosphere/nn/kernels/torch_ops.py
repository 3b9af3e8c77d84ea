"""The backend of tensor operations: serves every block, device and dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK


class TorchBackend:
    """The tensor operations that each block has of its own (`projections/block.py`)."""

    name = "torch"
    block_kinds: frozenset[str] | None = None

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True: tensor operations support everything."""
        del block, rows
        return True

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the dot products of each vector with every point."""
        block.write_products(z, out)

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return weighted sums of the points."""
        return block.weighted_sum(weights)

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of the products of each vector, and its gradient."""
        return block.log_sum_exp(z, with_mean)

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest products of each vector, in descending order."""
        return block.top_k(z, k)
