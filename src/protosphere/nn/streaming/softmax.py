"""Log-sum-exp of all logits and weighted sums of prototypes, differentiable any number of times, without B x K logits.

With p the softmax of z c_1, ..., z c_K, the gradient of log sum_k exp(z c_k) is the mean prototype under p and its
Hessian their covariance. All further derivatives are made of the moments

    M(z, l; v_1, ..., v_r) = sum_k exp(z c_k - l) (v_1 c_k) ... (v_r c_k) c_k,    l = log sum_k exp(z c_k),

which are linear in each v and whose derivative by z, times u, is M(z, l; v_1, ..., v_r, u).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.tracing import call, is_exporting, is_recorded, is_traced
from protosphere.nn.vectors import widened

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection

Dims = tuple[int | None, ...]
"""The batch dimension of each argument of a vmapped function; None where there is none."""


def log_sum_exp(z: Tensor, projection: Projection) -> Tensor:
    """Return log sum_k exp(z c_k) of each row, differentiable; float32 for half precision.

    Args:
        z: B x n vectors.
        projection: The prototypes c_k.
    """
    wide = widened(z)
    if is_recorded() or projection.has_all_combinations:
        return projection.plain_log_sum_exp(wide)
    with_mean = torch.is_grad_enabled() and z.requires_grad
    if torch.compiler.is_compiling():
        operator = torch.ops.protosphere.log_sum_exp
        return operator(wide, projection.handle, with_mean)[0]
    return call(LogSumExp, wide, None, projection, with_mean)[0]


def log_sum_exp_and_target(
    z: Tensor, classes: Tensor, projection: Projection
) -> tuple[Tensor, Tensor]:
    """Return the log-sum-exp of each row and its product with the prototype of its class, differentiable.

    Args:
        z: B x n vectors, not in half precision.
        classes: B classes.
        projection: The prototypes c_k.
    """
    recorded = is_traced() or is_exporting() or torch.compiler.is_compiling()
    if recorded or projection.has_all_combinations:
        value = log_sum_exp(z, projection)
        prototypes = projection.rows(classes, z)
    else:
        with_mean = torch.is_grad_enabled() and z.requires_grad
        value, _, prototypes = call(LogSumExp, z, classes, projection, with_mean)
    return value, (z * prototypes).sum(1)


def moment(
    z: Tensor,
    log_sum_exps: Tensor,
    directions: Sequence[Tensor],
    projection: Projection,
) -> Tensor:
    """Return M(z, l; directions) of each row, differentiable."""
    return call(_Moment, projection, z, log_sum_exps, *directions)


def mean_and_covariance(
    z: Tensor,
    log_sum_exps: Tensor,
    mean: Tensor,
    direction: Tensor,
    projection: Projection,
) -> tuple[Tensor, Tensor]:
    """Return the derivatives of log-sum-exp and mean along a direction: products with mean and covariance."""
    along = (mean * direction).sum(1)
    second = moment(z, log_sum_exps, [direction], projection)
    return along, second - along[:, None] * mean


def weighted_prototypes(
    weights: Tensor, factors: Tensor | None, projection: Projection
) -> tuple[Tensor, Tensor]:
    """Return sum_k weights_ik factors_k c_k and sum_k weights_ik factors_k of each row, differentiable.

    Args:
        weights: B x K weights.
        factors: K constants; 1 if None.
        projection: The prototypes c_k.
    """
    if torch.compiler.is_compiling() and not is_recorded():
        operator = torch.ops.protosphere.weighted_prototypes
        return operator(weights, factors, projection.handle)
    return call(WeightedPrototypes, weights, factors, projection)


def mean_prototype(like: Tensor, projection: Projection) -> Tensor:
    """Return the mean of all prototypes.

    Args:
        like: Tensor whose dtype and device the mean gets.
        projection: The prototypes c_k.
    """
    block = projection.all_combinations
    if block is not None:
        with without_autocast(like):
            return block.mean_point(like)
    ones = like.new_ones(1, projection.num_classes)
    (total,), _ = weighted_prototypes(ones, None, projection)
    return total / projection.num_classes


def folded(info: Any, in_dims: Dims, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return tensors in which the rows of all members of a vmapped batch are concatenated."""
    rows: list[Tensor] = []
    for tensor, dim in zip(tensors, in_dims, strict=True):
        if dim is None:
            stacked = tensor.expand(info.batch_size, *tensor.shape)
        else:
            stacked = tensor.movedim(dim, 0)
        rows.append(stacked.flatten(0, 1))
    return rows


def unfolded(info: Any, *rows: Tensor) -> tuple[Tensor, ...]:
    """Return the inverse of `folded`."""
    return tuple(torch.unflatten(tensor, 0, (info.batch_size, -1)) for tensor in rows)


def softmax_gradient(
    ctx: Any, of_value: Tensor | None, of_mean: Tensor | None
) -> Tensor | None:
    """Return the differentiable gradient with respect to z, given those of the log-sum-exp and of the mean.

    Args:
        ctx: Context with z, value and mean saved, `projection` and `with_mean`.
        of_value: B gradients of the log-sum-exp.
        of_mean: B x n gradients of the mean.
    """
    z, value, mean = ctx.saved_tensors
    if not ctx.with_mean:
        mean = moment(z, value, [], ctx.projection)
        of_mean = None
    gradient = None
    if of_value is not None:
        gradient = of_value[:, None] * mean
    if of_mean is not None:
        given = (z, value, mean, of_mean, ctx.projection)
        _, covariance = mean_and_covariance(*given)
        gradient = covariance if gradient is None else gradient + covariance
    return gradient


class LogSumExp(torch.autograd.Function):
    """Log-sum-exp, mean prototype under the softmax, and prototypes of given classes, in one pass.

    Without `with_mean` the mean has no columns and is computed when a gradient needs it. The prototypes are constants
    and have no columns if no classes are given.
    """

    @staticmethod
    def forward(
        z: Tensor, classes: Tensor | None, projection: Projection, with_mean: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the results, without gradient."""
        return projection.softmax_terms(z.detach(), classes, with_mean)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]
    ) -> None:
        """Save the tensors that derivatives need."""
        z, _, ctx.projection, ctx.with_mean = inputs
        value, mean, prototypes = output
        ctx.save_for_backward(z, value, mean)
        ctx.save_for_forward(z, value, mean)
        ctx.mark_non_differentiable(prototypes)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(
        ctx: Any, *grads: Tensor | None
    ) -> tuple[Tensor | None, None, None, None]:
        """Return the gradient with respect to z."""
        return softmax_gradient(ctx, grads[0], grads[1]), None, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, Tensor, None]:
        """Return the directional derivatives of the results."""
        z, value, mean = ctx.saved_tensors
        given = mean if ctx.with_mean else moment(z, value, [], ctx.projection)
        direction = tangents[0]
        along, covariance = mean_and_covariance(
            z, value, given, direction, ctx.projection
        )
        if not ctx.with_mean:
            covariance = torch.zeros_like(mean)
        return along, covariance, None

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int, int]]:
        """Compute the rows of all members of a vmapped batch at once."""
        z, classes, projection, with_mean = args
        (rows,) = folded(info, in_dims[:1], [z])
        if classes is not None:
            (classes,) = folded(info, in_dims[1:2], [classes])
        found = call(LogSumExp, rows, classes, projection, with_mean)
        return unfolded(info, *found), (0, 0, 0)


class _Moment(torch.autograd.Function):
    """M(z, l; directions)."""

    @staticmethod
    def forward(
        projection: Projection, z: Tensor, log_sum_exps: Tensor, *directions: Tensor
    ) -> Tensor:
        """Return the results, without gradient."""
        constants = [direction.detach() for direction in directions]
        return projection.moment(z.detach(), log_sum_exps.detach(), constants)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Save the tensors that derivatives need."""
        ctx.projection, *tensors = inputs
        ctx.save_for_backward(output, *tensors)
        ctx.save_for_forward(output, *tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient with respect to z."""
        output, *tensors = ctx.saved_tensors
        gradients: list[Tensor | None] = []
        for i in range(len(tensors)):
            if not ctx.needs_input_grad[1 + i]:
                gradients.append(None)
                continue
            gradient = _moment_derivative(ctx.projection, output, tensors, i, grads[0])
            if i == 1:  # by l, one number per row
                gradient = gradient.sum(1)
            gradients.append(gradient)
        return None, *gradients

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        """Return the directional derivatives of the results."""
        output, *tensors = ctx.saved_tensors
        total = torch.zeros_like(output)
        for i, tangent in enumerate(tangents[1:]):
            if tangent is None:
                continue
            along = tangent[:, None] if i == 1 else tangent
            total = total + _moment_derivative(
                ctx.projection, output, tensors, i, along
            )
        return total

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Tensor, int]:
        """Compute the rows of all members of a vmapped batch at once."""
        rows = call(_Moment, args[0], *folded(info, in_dims[1:], args[1:]))
        return unfolded(info, rows)[0], 0


def _moment_derivative(
    projection: Projection,
    output: Tensor,
    tensors: list[Tensor],
    by: int,
    along: Tensor,
) -> Tensor:
    """Return the derivative of M by z (0), l (1) or a direction (2, ...) times a vector.

    As a matrix each derivative is symmetric, except that by l.
    """
    z, log_sum_exps, *directions = tensors
    if by == 0:
        return moment(z, log_sum_exps, [*directions, along], projection)
    if by == 1:
        return -output * along
    directions[by - 2] = along
    return moment(z, log_sum_exps, directions, projection)


class WeightedPrototypes(torch.autograd.Function):
    """Weighted sums of prototypes, linear in the weights; the factors are constants."""

    @staticmethod
    def forward(
        weights: Tensor, factors: Tensor | None, projection: Projection
    ) -> tuple[Tensor, Tensor]:
        """Return the results, without gradient."""
        return projection.weighted_prototypes(weights.detach(), factors)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
    ) -> None:
        """Save the tensors that derivatives need."""
        del output
        weights, ctx.factors, ctx.projection = inputs
        ctx.dtype = weights.dtype

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        """Return the B x K gradient with respect to the weights."""
        of_sum, of_total = grads
        gradient = ctx.projection(of_sum) + of_total[:, None]
        if ctx.factors is not None:
            gradient = gradient * ctx.factors
        return gradient.to(ctx.dtype), None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, Tensor]:
        """Return the directional derivatives of the results."""
        return weighted_prototypes(tangents[0], ctx.factors, ctx.projection)

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int]]:
        """Compute the rows of all members of a vmapped batch at once."""
        rows = folded(info, in_dims[:1], args[:1])
        return unfolded(info, *call(WeightedPrototypes, *rows, *args[1:])), (0, 0)
