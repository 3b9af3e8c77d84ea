"""The log-sum-exp of all logits and sums of prototypes, differentiable as often as one likes, without B x K numbers.

With p the softmax of z c_1, ..., z c_K, the gradient of log sum_k exp(z c_k) is the mean prototype under p and its
hessian their covariance. All further derivatives are made of the moments

    M(z, l; v_1, ..., v_r) = sum_k exp(z c_k - l) (v_1 c_k) ... (v_r c_k) c_k,    l = log sum_k exp(z c_k),

which are linear in each v and whose derivative by z, times u, is M(z, l; v_1, ..., v_r, u).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.nn.tracing import call, is_recorded

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection

Dims = tuple[int | None, ...]


def log_sum_exp(z: Tensor, sums: Projection) -> Tensor:
    """log sum_k exp(z c_k) of each row; float32 for half types."""
    wide = widened(z)
    if is_recorded():
        return sums(wide).logsumexp(1)
    with_mean = torch.is_grad_enabled() and z.requires_grad
    if torch.compiler.is_compiling():
        return torch.ops.protosphere.log_sum_exp(wide, sums.handle, with_mean)[0]
    return call(LogSumExp, wide, sums, with_mean)[0]


def moment(
    z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor], sums: Projection
) -> Tensor:
    """M(z, l; directions) of each row."""
    return call(_Moment, sums, z, log_sum_exps, *directions)


def mean_and_covariance(
    z: Tensor, log_sum_exps: Tensor, mean: Tensor, direction: Tensor, sums: Projection
) -> tuple[Tensor, Tensor]:
    """The products of mean and covariance with a direction: derivatives of log-sum-exp and mean."""
    along = (mean * direction).sum(1)
    return along, moment(z, log_sum_exps, [direction], sums) - along[:, None] * mean


def weighted_prototypes(
    weights: Tensor, factors: Tensor | None, sums: Projection
) -> tuple[Tensor, Tensor]:
    """sum_k weights_ik factors_k c_k and sum_k weights_ik factors_k of each row, factors 1 without any."""
    if torch.compiler.is_compiling() and not is_recorded():
        return torch.ops.protosphere.weighted_prototypes(weights, factors, sums.handle)
    return call(WeightedPrototypes, weights, factors, sums)


def folded(info: Any, in_dims: Dims, tensors: Sequence[Tensor]) -> list[Tensor]:
    """The rows of all members of a vmapped batch below each other."""
    each = zip(tensors, in_dims, strict=True)
    stacked = [
        t.expand(info.batch_size, *t.shape) if dim is None else t.movedim(dim, 0)
        for t, dim in each
    ]
    return [tensor.flatten(0, 1) for tensor in stacked]


def unfolded(info: Any, *rows: Tensor) -> tuple[Tensor, ...]:
    """The transpose of `folded`."""
    return tuple(torch.unflatten(tensor, 0, (info.batch_size, -1)) for tensor in rows)


class LogSumExp(torch.autograd.Function):
    """(value, mean); the mean is empty, and computed when it is needed, without `with_mean`."""

    @staticmethod
    def forward(z: Tensor, sums: Projection, with_mean: bool) -> tuple[Tensor, Tensor]:
        return sums.log_sum_exp_and_mean(z.detach(), with_mean)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
    ) -> None:
        z, ctx.sums, ctx.with_mean = inputs
        ctx.save_for_backward(z, *output)
        ctx.save_for_forward(z, *output)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, None, None]:
        """The gradient by z, from those by the value and by the mean; differentiable itself."""
        of_value, of_mean = grads
        z, value, mean = ctx.saved_tensors
        if not ctx.with_mean:
            mean = moment(z, value, [], ctx.sums)
            of_mean = None
        gradient = None if of_value is None else of_value[:, None] * mean
        if of_mean is not None:
            _, covariance = mean_and_covariance(z, value, mean, of_mean, ctx.sums)
            gradient = covariance if gradient is None else gradient + covariance
        return gradient, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, Tensor]:
        z, value, mean = ctx.saved_tensors
        given = mean if ctx.with_mean else moment(z, value, [], ctx.sums)
        along, covariance = mean_and_covariance(z, value, given, tangents[0], ctx.sums)
        return along, covariance if ctx.with_mean else torch.zeros_like(mean)

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int]]:
        rows = folded(info, in_dims[:1], args[:1])
        return unfolded(info, *call(LogSumExp, *rows, *args[1:])), (0, 0)


class _Moment(torch.autograd.Function):
    @staticmethod
    def forward(
        sums: Projection, z: Tensor, log_sum_exps: Tensor, *directions: Tensor
    ) -> Tensor:
        return sums.moment(
            z.detach(),
            log_sum_exps.detach(),
            [direction.detach() for direction in directions],
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.sums, *tensors = inputs
        ctx.save_for_backward(output, *tensors)
        ctx.save_for_forward(output, *tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        output, *tensors = ctx.saved_tensors
        wanted = [i for i in range(len(tensors)) if ctx.needs_input_grad[1 + i]]
        found = {
            i: _derivative_of_moment(ctx.sums, output, tensors, i, grads[0])
            for i in wanted
        }
        by_shift = {1: found[1].sum(1)} if 1 in found else {}
        return None, *({**found, **by_shift}.get(i) for i in range(len(tensors)))

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        output, *tensors = ctx.saved_tensors
        each = (
            (i, tangent)
            for i, tangent in enumerate(tangents[1:])
            if tangent is not None
        )
        parts = (
            _derivative_of_moment(
                ctx.sums, output, tensors, i, t[:, None] if i == 1 else t
            )
            for i, t in each
        )
        return sum(parts, start=torch.zeros_like(output))

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Tensor, int]:
        rows = call(_Moment, args[0], *folded(info, in_dims[1:], args[1:]))
        return unfolded(info, rows)[0], 0


def _derivative_of_moment(
    sums: Projection, output: Tensor, tensors: list[Tensor], by: int, along: Tensor
) -> Tensor:
    """That of M by z (0), l (1) or a direction (2, ...) times a vector: as a matrix it is symmetric but for l's."""
    z, log_sum_exps, *directions = tensors
    if by == 0:
        return moment(z, log_sum_exps, [*directions, along], sums)
    if by == 1:
        return -output * along
    return moment(
        z, log_sum_exps, [*directions[: by - 2], along, *directions[by - 1 :]], sums
    )


class WeightedPrototypes(torch.autograd.Function):
    """Linear in the weights; the factors are constants."""

    @staticmethod
    def forward(
        weights: Tensor, factors: Tensor | None, sums: Projection
    ) -> tuple[Tensor, Tensor]:
        return sums.weighted_prototypes(weights.detach(), factors)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
    ) -> None:
        del output
        weights, ctx.factors, ctx.sums = inputs
        ctx.dtype = weights.dtype

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        """The gradient by the weights: B x K, as they are."""
        of_sum, of_total = grads
        gradient = ctx.sums(of_sum) + of_total[:, None]
        return (
            (gradient if ctx.factors is None else gradient * ctx.factors).to(ctx.dtype),
            None,
            None,
        )

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, Tensor]:
        return weighted_prototypes(tangents[0], ctx.factors, ctx.sums)

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int]]:
        rows = folded(info, in_dims[:1], args[:1])
        return unfolded(info, *call(WeightedPrototypes, *rows, *args[1:])), (0, 0)
