"""The sums of a loss as single operators of a compiled graph, which `torch.compile` does not look into."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.nn.streaming.softmax import LogSumExp, WeightedPrototypes

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection

_operator: Any = partial(torch.library.custom_op, mutates_args=())  # few types in torch
_handles = count()
_living: WeakValueDictionary[int, Projection] = WeakValueDictionary()


def new_handle(projection: Projection) -> int:
    """A number that names it in graphs, which hold tensors and numbers only, as long as it lives."""
    handle = next(_handles)
    _living[handle] = projection
    return handle


@_operator("protosphere::log_sum_exp")
def log_sum_exp(z: Tensor, handle: int, with_mean: bool) -> tuple[Tensor, Tensor]:
    """`Projection.log_sum_exp_and_mean`."""
    return _living[handle].log_sum_exp_and_mean(z, with_mean)


@_operator("protosphere::weighted_prototypes")
def weighted_prototypes(
    weights: Tensor, factors: Tensor | None, handle: int
) -> tuple[Tensor, Tensor]:
    """`Projection.weighted_prototypes`."""
    return _living[handle].weighted_prototypes(weights, factors)


@_operator("protosphere::products")
def products(z: Tensor, handle: int) -> Tensor:
    """z c_k for all k."""
    return _living[handle](z)


@log_sum_exp.register_fake
def _empty_sums(z: Tensor, handle: int, with_mean: bool) -> tuple[Tensor, Tensor]:
    del handle
    return z.new_empty(z.shape[0]), torch.empty_like(z) if with_mean else z.new_empty(
        z.shape[0], 0
    )


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
    z, handle, with_mean = inputs
    LogSumExp.setup_context(ctx, (z, _living[handle], with_mean), output)


def _keep_weights(
    ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
) -> None:
    *given, handle = inputs
    WeightedPrototypes.setup_context(
        ctx, (*given, partial(products, handle=handle)), output
    )  # traced backwards too


def _keep_handle(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    del output
    _, ctx.handle = inputs


def _products_backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
    return weighted_prototypes(grads[0], None, ctx.handle)[0], None


log_sum_exp.register_autograd(LogSumExp.backward, setup_context=_keep_sums)
weighted_prototypes.register_autograd(
    WeightedPrototypes.backward, setup_context=_keep_weights
)
products.register_autograd(_products_backward, setup_context=_keep_handle)
