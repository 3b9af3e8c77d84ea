"""The protocol of kernel backends: implementations of the four operations that dominate the cost of a head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK


class KernelBackend(Protocol):
    """Operations on all points of a projection block: products, weighted sums, log-sum-exp and top-k.

    A backend has no state: everything it reads is in the block and the tensors. It is called without gradients and
    autocast, never in half precision, and from several threads at once, each with some rows of the batch.

    To add a backend, write a class with these methods in a new file and list it in `kernels.registry.BACKENDS`, before
    the last. Inherit from `kernels.torch_ops.TorchBackend` to implement only some of the operations.

    Attributes:
        name: Name of the backend.
        block_kinds: Kinds of blocks that the backend serves; None for every kind.

    Example:
        >>> from protosphere.nn.kernels.registry import BACKENDS
        >>> BACKENDS[-1].name
        'torch'
    """

    name: str
    block_kinds: frozenset[str] | None

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return whether the backend can be used for this block and these rows.

        Args:
            block: Points of a kind in `block_kinds`.
            rows: B x n vectors, or B x P weights; only device and dtype matter.
        """
        ...

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the dot products of each vector with every point.

        Args:
            block: P points of R^n.
            z: B x n vectors.
            out: B x P products, overwritten.
        """
        ...

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return weighted sums of the points: the transpose of `write_products`.

        Args:
            block: P points of R^n.
            weights: B x P weights.

        Returns:
            B x n sums.
        """
        ...

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of the products of each vector, and its gradient.

        Args:
            block: P points of R^n.
            z: B x n vectors.
            with_mean: Whether to compute the gradient: the mean point under the softmax of the products.

        Returns:
            B values, and B x n means (an empty B x 0 tensor without `with_mean`).
        """
        ...

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest products of each vector, in descending order.

        Args:
            block: P points of R^n.
            z: B x n vectors.
            k: At most P.

        Returns:
            B x k products and the B x k indices of their points in the block.
        """
        ...
