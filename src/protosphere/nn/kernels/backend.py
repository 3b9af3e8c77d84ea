"""Protocol of kernel backends, which implement the operations that dominate the cost of a head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK


class KernelBackend(Protocol):
    """Protocol of operations on all points of a block: dot products, weighted sums, log-sum-exp and top-k.

    A backend has no state; all its data are in the block and the tensors. Its methods are called with gradients and
    autocast switched off and never with tensors in half precision. Several threads call them concurrently, each with
    some rows of the batch.

    To add a backend, write a class with these methods in a new file and list it in `kernels.registry.BACKENDS`, before
    the last entry. Inherit from `kernels.torch_ops.TorchBackend` to implement only some of the operations.

    Attributes:
        name: Name of the backend.
        block_kinds: Kinds of blocks that the backend supports; None for every kind.

    Example:
        >>> from protosphere.nn.kernels.registry import BACKENDS
        >>> BACKENDS[-1].name
        'torch'
    """

    name: str
    block_kinds: frozenset[str] | None

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True if the backend can be used for this block and these rows.

        Args:
            block: Block of a kind in `block_kinds`.
            rows: B x n vectors, or B x P weights; only device and dtype matter.
        """
        ...

    def write_products(self, block: ProjectionBlock, z: Tensor, out: Tensor) -> None:
        """Write the B x P dot products of vectors with all points of the block into `out`.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            out: B x P tensor for the results.
        """
        ...

    def weighted_sum(self, block: ProjectionBlock, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of the block's points: `weights` times the matrix of points.

        Args:
            block: Block of P points in R^n.
            weights: B x P weights.

        Returns:
            B x n sums.
        """
        ...

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and on request its gradient.

        The gradient with respect to a vector is the weighted mean of all points; the weights are the softmax of the
        vector's dot products with the points.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            with_mean: Whether to compute the weighted means, that is, the gradients.

        Returns:
            B log-sum-exps, and B x n weighted means. If `with_mean` is False, the second tensor is empty, B x 0.
        """
        ...

    def softmax_terms(
        self,
        block: ProjectionBlock,
        z: Tensor,
        index: Tensor,
        with_mean: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the two results of `log_sum_exp`, and one point of the block for each vector, given by its index.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            index: B indices of points in the block, such as the labels of the vectors.
            with_mean: Whether to compute the weighted means of `log_sum_exp`.

        Returns:
            B log-sum-exps, B x n weighted means (an empty B x 0 tensor if `with_mean` is False) and B x n points.
        """
        ...

    def top_k(self, block: ProjectionBlock, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each vector with the points, in descending order, and their indices.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            k: Number of points, at most P.

        Returns:
            B x k dot products, and the B x k indices of the points in the block.
        """
        ...
