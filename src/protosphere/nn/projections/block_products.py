"""Differentiable function for the dot products with all points of a block, and for weighted sums of the points.

A block has some of the prototypes of a head as its points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from protosphere.nn.kernels.threaded import threaded_products, threaded_weighted_sum
from protosphere.nn.streaming.softmax import Dims, folded, unfolded
from protosphere.nn.tracing import call
from protosphere.nn.vectors import widened

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock


def block_products(
    rows: Tensor, block: ProjectionBlock, transposed: bool = False
) -> Tensor:
    """Return the dot products of vectors with all points of a block, or weighted sums of the points.

    The result is differentiable.

    Args:
        rows: B x n vectors. If `transposed` is True, B x P weights of the points.
        block: Block of P points.
        transposed: If False, the dot products are returned. If True, the weighted sums are returned.

    Returns:
        B x P dot products, or B x n weighted sums, in the dtype of `rows`.
    """
    return call(_BlockProducts, rows, block, transposed)


class _BlockProducts(torch.autograd.Function):
    @staticmethod
    def forward(rows: Tensor, block: ProjectionBlock, transposed: bool) -> Tensor:
        wide = widened(rows.detach())
        if transposed:
            return threaded_weighted_sum(wide, block).to(rows.dtype)
        return threaded_products(wide, block).to(rows.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        del output
        _, ctx.block, ctx.transposed = inputs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        # the map from vectors to dot products and the map from weights to weighted sums are transposes of each other
        gradient = block_products(grads[0], ctx.block, not ctx.transposed)
        return gradient, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        return block_products(tangents[0], ctx.block, ctx.transposed)

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Tensor, int]:
        (rows,) = folded(info, in_dims[:1], args[:1])
        return unfolded(info, block_products(rows, *args[1:]))[0], 0
