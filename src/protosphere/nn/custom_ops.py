"""Custom torch operators that compute log-sum-exps, weighted sums and dot products with prototypes.

A projection is a module that computes dot products with the K prototypes of a head. The log-sum-exp of some numbers is
the logarithm of the sum of their exponentials.

In a graph of `torch.compile`, each call of such an operator is a single node.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from protosphere.nn.streaming.softmax import WeightedPrototypes, softmax_gradient
from protosphere.nn.vectors import widened

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection

_operator: Any = partial(torch.library.custom_op, mutates_args=())  # few types in torch
_handles = count()
_living: WeakValueDictionary[int, Projection] = WeakValueDictionary()


def new_handle(projection: Projection) -> int:
    """Return an integer that stands for a projection, the module with the prototypes, in calls of the operators.

    The integer is valid as long as the projection exists.

    Args:
        projection: The projection.
    """
    # operators in graphs of torch.compile take only tensors and numbers as arguments
    handle = next(_handles)
    _living[handle] = projection
    return handle


@_operator("protosphere::log_sum_exp")
def log_sum_exp(z: Tensor, handle: int, with_mean: bool) -> tuple[Tensor, Tensor]:
    """Return, for each row of z, the log-sum-exp of its dot products with the prototypes, and a mean of the prototypes.

    The weights of the mean are the softmax of the dot products of the row.

    Args:
        z: B x n vectors.
        handle: Integer that stands for the module with the prototypes, from `new_handle`.
        with_mean: If True, the means are computed. If False, they are not.

    Returns:
        A tuple of two tensors: the B log-sum-exps, and the B x n means. If `with_mean` is False, the second tensor is
        empty and has the shape B x 0.
    """
    return _living[handle].log_sum_exp_and_mean(z, with_mean)


@_operator("protosphere::weighted_prototypes")
def weighted_prototypes(
    weights: Tensor, factors: Tensor | None, handle: int
) -> tuple[Tensor, Tensor]:
    """Return, for each row of weights, the weighted sum of the prototypes and the sum of the weights.

    Args:
        weights: B x K weights of the prototypes, one row per example.
        factors: K factors, one per prototype, by which the weights are multiplied. None means factors of 1.
        handle: Integer that stands for the module with the prototypes, from `new_handle`.

    Returns:
        A tuple of two tensors: the B x n weighted sums of the prototypes, and the B sums of the weights. Both are
        computed from the weights after the multiplication by the factors.
    """
    return _living[handle].weighted_prototypes(weights, factors)


@_operator("protosphere::products")
def products(z: Tensor, handle: int) -> Tensor:
    """Return the B x K dot products of vectors with all prototypes.

    Args:
        z: B x n vectors.
        handle: Integer that stands for the module with the prototypes, from `new_handle`.
    """
    return _living[handle](z)


@log_sum_exp.register_fake
def _empty_sums(z: Tensor, handle: int, with_mean: bool) -> tuple[Tensor, Tensor]:
    del handle
    batch = z.shape[0]
    mean = torch.empty_like(z) if with_mean else z.new_empty(batch, 0)
    return z.new_empty(batch), mean


@weighted_prototypes.register_fake
def _empty_weighted(
    weights: Tensor, factors: Tensor | None, handle: int
) -> tuple[Tensor, Tensor]:
    del factors
    like = widened(weights)
    rows = weights.shape[0]
    return like.new_empty(rows, _living[handle].dim), like.new_empty(rows)


@products.register_fake
def _empty_products(z: Tensor, handle: int) -> Tensor:
    return z.new_empty(z.shape[0], _living[handle].num_classes)


def _keep_sums(
    ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
) -> None:
    z, handle, ctx.with_mean = inputs
    ctx.projection = _living[handle]
    ctx.save_for_backward(z, *output)
    ctx.set_materialize_grads(False)


def _sums_backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, None, None]:
    return softmax_gradient(ctx, *grads), None, None


def _keep_weights(
    ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
) -> None:
    weights, factors, handle = inputs
    traced_projection = partial(products, handle=handle)  # traced in the backward too
    given = (weights, factors, traced_projection)
    WeightedPrototypes.setup_context(ctx, given, output)


def _keep_handle(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    del output
    _, ctx.handle = inputs


def _products_backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
    return weighted_prototypes(grads[0], None, ctx.handle)[0], None


log_sum_exp.register_autograd(_sums_backward, setup_context=_keep_sums)
weighted_prototypes.register_autograd(
    WeightedPrototypes.backward, setup_context=_keep_weights
)
products.register_autograd(_products_backward, setup_context=_keep_handle)
