"""Protocol of kernel backends, which implement the operations that dominate the cost of a head.

A block has some of the prototypes of a head as its P points in R^n. The log-sum-exp of some numbers is the logarithm of
the sum of their exponentials. A top-k search finds the k largest dot products of a vector, and the indices of their
points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from torch import Tensor

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock, TopK


class KernelBackend(Protocol):
    """Protocol of objects that compute with the points of a block: dot products, weighted sums, log-sum-exp and top-k.

    A block has some of the prototypes of a head as its P points in R^n. A backend has no state; all its data are in the
    block and the tensors. The methods of a backend are called without gradients and without autocast, and never with
    tensors in float16 or bfloat16. Several threads call the methods concurrently, each with some rows of the batch.

    To add a backend, write a class with these methods in a new file and list it in `kernels.registry.BACKENDS`, before
    the last entry. Inherit from `kernels.torch_ops.TorchBackend` to implement only some of the operations.

    Attributes:
        name: Name of the backend.
        block_kinds: Kinds of blocks that the backend supports, such as "matrix". If None, it supports every kind.

    Example:
        >>> from protosphere.nn.kernels.registry import BACKENDS
        >>> BACKENDS[-1].name
        'torch'
    """

    name: str
    block_kinds: frozenset[str] | None

    def supports(self, block: ProjectionBlock, rows: Tensor) -> bool:
        """Return True if the backend can be used for a block and for the device and dtype of `rows`.

        Args:
            block: Block of a kind in `block_kinds`.
            rows: Tensor whose device and dtype are checked: B x n vectors, or B x P weights of the points.
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
        """Return the matrix product of `weights` and the points of a block.

        Args:
            block: Block of P points in R^n.
            weights: B x P weights.

        Returns:
            B x n weighted sums of the points.
        """
        ...

    def log_sum_exp(
        self, block: ProjectionBlock, z: Tensor, with_mean: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of each vector's dot products with the points, and optionally its gradient.

        The gradient with respect to a vector is the weighted mean of all points; the weights are the softmax of the
        vector's dot products with the points.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            with_mean: If True, the weighted means, that is, the gradients, are computed. If False, they are not.

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
        """Return the log-sum-exp of each vector's dot products with the points, its gradient, and one chosen point.

        The gradient with respect to a vector is the weighted mean of all points; the weights are the softmax of the
        vector's dot products with the points.

        Args:
            block: Block of P points in R^n.
            z: B x n vectors.
            index: For each vector, the index of the chosen point in the block, such as the label of the vector.
            with_mean: If True, the weighted means, that is, the gradients, are computed. If False, they are not.

        Returns:
            B log-sum-exps, B x n weighted means and B x n chosen points. If `with_mean` is False, the tensor of means
            is empty, B x 0.
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
