"""Log-sum-exp of logits and weighted sums of prototypes, differentiable any number of times, without B x K logits.

Let c_1, ..., c_K be the prototypes. A product of two vectors, such as z c_k, is their dot product. Let p be the softmax
of the logits z c_1, ..., z c_K. The mean prototype of z is the mean of the prototypes under p. It is the gradient of
log sum_k exp(z c_k), the log-sum-exp of the logits, with respect to z. The Hessian of the log-sum-exp is the covariance
of the prototypes under p. A projection is a module that maps vectors to their dot products with the prototypes. A
target prototype is the prototype of the target class of an example. With torch.vmap, a function gets its arguments for
all members of a batch at once, in tensors with an additional dimension, the batch dimension. All derivatives are
composed of the moments

    M(z, l; v_1, ..., v_r) = sum_k exp(z c_k - l) (v_1 c_k) ... (v_r c_k) c_k,    l = log sum_k exp(z c_k).

A moment is linear in each of the directions v_1, ..., v_r. For constant l, the derivative of a moment with respect to z
along a direction u is M(z, l; v_1, ..., v_r, u).

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.tracing import (
    call,
    is_exporting,
    is_recorded,
    is_traced,
    under_transform,
)
from protosphere.nn.vectors import widened

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection

Dims = tuple[int | None, ...]
"""For each argument of a vmapped function, its batch dimension, or None if the argument has none."""


def log_sum_exp(z: Tensor, projection: Projection) -> Tensor:
    """Return the log-sum-exp of each row's dot products with the prototypes. It is differentiable.

    The log-sum-exp of numbers is the logarithm of the sum of their exponentials.

    Args:
        z: B x n vectors.
        projection: Projection that holds the prototypes.

    Returns:
        B log-sum-exps. They are in float32 if z is in float16 or bfloat16, and otherwise in the dtype of z.
    """
    wide = widened(z)
    if is_recorded() or _needs_plain_sums(wide, projection):
        return projection.plain_log_sum_exp(wide)
    with_mean = torch.is_grad_enabled() and z.requires_grad
    if torch.compiler.is_compiling():
        operator = torch.ops.protosphere.log_sum_exp
        return operator(wide, projection.handle, with_mean)[0]
    return call(LogSumExp, wide, None, projection, with_mean)[0]


def log_sum_exp_and_target(
    z: Tensor, classes: Tensor, projection: Projection
) -> tuple[Tensor, Tensor]:
    """Return two numbers for each row: the log-sum-exp of its logits, and the logit of its target class.

    The logits are the dot products with the prototypes. Both results are differentiable.

    Args:
        z: B x n vectors in float32 or float64.
        classes: B target classes.
        projection: Projection that holds the prototypes.

    Returns:
        A tuple of the B log-sum-exps and the B logits of the target classes.
    """
    recorded = is_traced() or is_exporting() or torch.compiler.is_compiling()
    if recorded or _needs_plain_sums(z, projection):
        value = log_sum_exp(z, projection)
        prototypes = projection.rows(classes, z)
    else:
        with_mean = torch.is_grad_enabled() and z.requires_grad
        value, _, prototypes = call(LogSumExp, z, classes, projection, with_mean)
    return value, (z * prototypes).sum(1)


def _needs_plain_sums(z: Tensor, projection: Projection) -> bool:
    # If the prototypes are all combinations of the values of parts, the formula by moments would take time for every
    # combination. Compiled code, transforms such as vmap and forward-mode differentiation would use this formula.
    if not projection.has_all_combinations:
        return False
    if torch.compiler.is_compiling() or under_transform():
        return True
    tangent: Tensor | None = forward_ad.unpack_dual(z)[1]  # pyright: ignore[reportUnknownMemberType]
    return tangent is not None


def moment(
    z: Tensor,
    log_sum_exps: Tensor,
    directions: Sequence[Tensor],
    projection: Projection,
) -> Tensor:
    """Return, for each row z, the sum over all prototypes c_k of exp(z c_k - l) (v_1 c_k) ... (v_r c_k) c_k.

    A product of two vectors is their dot product. If l is the log-sum-exp of z c_1, ..., z c_K, the numbers exp(z c_k -
    l) are the softmax probabilities. Without directions (r = 0), the sum is that of exp(z c_k - l) c_k. The result is
    differentiable.

    Args:
        z: B x n vectors.
        log_sum_exps: The B numbers l.
        directions: The vectors v_1, ..., v_r, each as a B x n tensor with one row for each row of z.
        projection: Projection that holds the prototypes.

    Returns:
        B x n sums.
    """
    return call(_Moment, projection, z, log_sum_exps, *directions)


def mean_and_covariance(
    z: Tensor,
    log_sum_exps: Tensor,
    mean: Tensor,
    direction: Tensor,
    projection: Projection,
) -> tuple[Tensor, Tensor]:
    """Return the derivatives of each row's log-sum-exp and mean prototype along a direction.

    Let p be the softmax of the row's dot products with the prototypes. The mean prototype is the mean of the prototypes
    under p. The derivative of the log-sum-exp of the dot products is the dot product of the mean prototype and the
    direction. The derivative of the mean prototype is the covariance matrix of the prototypes under p, multiplied by
    the direction.

    Args:
        z: B x n vectors.
        log_sum_exps: B log-sum-exps of the rows' dot products with the prototypes.
        mean: B x n mean prototypes.
        direction: B x n directions, one for each row of z.
        projection: Projection that holds the prototypes.

    Returns:
        A tuple of the B derivatives of the log-sum-exps and the B x n derivatives of the mean prototypes.
    """
    along = (mean * direction).sum(1)
    second = moment(z, log_sum_exps, [direction], projection)
    return along, second - along[:, None] * mean


def weighted_prototypes(
    weights: Tensor, factors: Tensor | None, projection: Projection
) -> tuple[Tensor, Tensor]:
    """Return, for each row of weights, the weighted sum of the prototypes and the sum of the weights.

    Both results are differentiable.

    Args:
        weights: B x K weights, one row per example.
        factors: K factors, one per prototype, by which the weights are multiplied. They get no gradient. None means
            factors of 1.
        projection: Projection that holds the K prototypes.

    Returns:
        A tuple of two tensors: the B x n weighted sums of the prototypes, and the B sums of the weights. Both are
        computed from the weights after the multiplication by the factors.
    """
    if torch.compiler.is_compiling() and not is_recorded():
        operator = torch.ops.protosphere.weighted_prototypes
        return operator(weights, factors, projection.handle)
    return call(WeightedPrototypes, weights, factors, projection)


def mean_prototype(like: Tensor, projection: Projection) -> Tensor:
    """Return the unweighted mean of all prototypes, a vector of n numbers.

    Args:
        like: Tensor whose dtype and device the mean gets.
        projection: Projection that holds the prototypes.
    """
    block = projection.all_combinations
    if block is not None:
        with without_autocast(like):
            return block.mean_point(like)
    ones = like.new_ones(1, projection.num_classes)
    (total,), _ = weighted_prototypes(ones, None, projection)
    return total / projection.num_classes


def folded(info: Any, in_dims: Dims, tensors: Sequence[Tensor]) -> list[Tensor]:
    """Merge the batch dimension that vmap adds to each tensor into the dimension of its rows.

    Each result has the rows of the first member of the batch, then the rows of the second member, and so on.

    Args:
        info: Object that torch gives to a vmap rule. Its attribute `batch_size` is the number of members of the batch.
        in_dims: Index of the batch dimension of each tensor. None means that a tensor has no batch dimension; its rows
            are then repeated for each member.
        tensors: Tensors to merge. Apart from the batch dimension, the first dimension of a tensor is that of its rows.
    """
    rows: list[Tensor] = []
    for tensor, dim in zip(tensors, in_dims, strict=True):
        if dim is None:
            stacked = tensor.expand(info.batch_size, *tensor.shape)
        else:
            stacked = tensor.movedim(dim, 0)
        rows.append(stacked.flatten(0, 1))
    return rows


def unfolded(info: Any, *rows: Tensor) -> tuple[Tensor, ...]:
    """Split the rows of each tensor among the members of a batch for vmap, and return tensors with a batch dimension.

    This function is the inverse of `folded`.

    Args:
        info: Object that torch gives to a vmap rule. Its attribute `batch_size` is the number of members of the batch.
        rows: Tensors with the rows of all members, one member after the other.

    Returns:
        The tensors with an additional first dimension, which is the batch dimension.
    """
    return tuple(torch.unflatten(tensor, 0, (info.batch_size, -1)) for tensor in rows)


def softmax_gradient(
    ctx: Any, of_value: Tensor | None, of_mean: Tensor | None
) -> Tensor | None:
    """Return the gradient with respect to z of a loss that depends on log-sum-exps and mean prototypes.

    For each row of z, the log-sum-exp is taken over its dot products with the prototypes. The mean prototype is
    weighted by the softmax of these dot products. The result is differentiable. It is None if `of_value` and `of_mean`
    are None.

    Args:
        ctx: Context of an autograd function. Its saved tensors are z, the log-sum-exps and the mean prototypes. Its
            attribute `with_mean` is True if the means were computed in the forward pass, and False if the saved tensor
            of means is empty. Its attribute `projection` holds the prototypes.
        of_value: B gradients of the loss with respect to the log-sum-exps. None if the loss does not depend on them.
        of_mean: B x n gradients of the loss with respect to the mean prototypes. None if the loss does not depend on
            them.
    """
    z, value, mean = ctx.saved_tensors
    if ctx.projection.has_all_combinations:
        if torch.is_grad_enabled():  # a second derivative needs a differentiable mean
            mean = ctx.projection.plain_mean(z)
    elif not ctx.with_mean:
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
    """Autograd function that returns a log-sum-exp, a mean prototype and a target prototype for each row of z.

    The log-sum-exp is taken over the row's dot products with all prototypes. The mean prototype is the mean of all
    prototypes, weighted by the softmax of these dot products. If `with_mean` is False, the second result is an empty
    B x 0 tensor, and the backward pass computes the means. The target prototypes, which are those of `classes`, have no
    gradient. If `classes` is None, the third result is an empty B x 0 tensor.
    """

    @staticmethod
    def forward(
        z: Tensor, classes: Tensor | None, projection: Projection, with_mean: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return B log-sum-exps, B x n mean prototypes and B x n target prototypes, one for each row of z.

        The log-sum-exp is taken over the row's dot products with all prototypes. The mean prototype is weighted by the
        softmax of these dot products.

        Args:
            z: B x n vectors.
            classes: B target classes. If it is None, the third result is an empty B x 0 tensor.
            projection: Projection that holds the prototypes.
            with_mean: Whether to compute the mean prototypes. If it is False, the second result is an empty B x 0
                tensor.
        """
        return projection.softmax_terms(z.detach(), classes, with_mean)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]
    ) -> None:
        """Save z, the log-sum-exps and the mean prototypes for the backward pass and forward-mode differentiation.

        Args:
            ctx: Context of torch, in which the tensors are saved.
            inputs: The four arguments of `forward`.
            output: The three results of `forward`.
        """
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
        """Return the gradient of a loss with respect to z, and None for the three other arguments of `forward`.

        Args:
            ctx: Context of torch with the saved tensors.
            grads: Gradients of the loss with respect to the results of `forward`: log-sum-exps, mean prototypes and
                target prototypes. None for a result that the loss does not depend on. The gradient of the target
                prototypes is not used.
        """
        return softmax_gradient(ctx, grads[0], grads[1]), None, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, Tensor, None]:
        """Return the derivatives of the log-sum-exps and of the mean prototypes along the tangent of z.

        The third result is None, because target prototypes have no derivative.

        Args:
            ctx: Context of torch with the saved tensors.
            tangents: Tangents of the four arguments of `forward`. Only the first one, the tangent of z, is used.
        """
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
        """Compute the results of `forward` for all members of a batch in one call, when torch.vmap is used.

        Args:
            info: Object that torch gives to a vmap rule. Its attribute `batch_size` is the number of members of the
                batch.
            in_dims: Index of the batch dimension of each argument of `forward`. None means that an argument has no
                batch dimension; it is then the same for all members.
            args: The four arguments of `forward`, in which z and `classes` may have a batch dimension.

        Returns:
            The three results with a batch dimension, and the index of this dimension in each of them.
        """
        z, classes, projection, with_mean = args
        (rows,) = folded(info, in_dims[:1], [z])
        if classes is not None:
            (classes,) = folded(info, in_dims[1:2], [classes])
        found = call(LogSumExp, rows, classes, projection, with_mean)
        return unfolded(info, *found), (0, 0, 0)


class _Moment(torch.autograd.Function):
    @staticmethod
    def forward(
        projection: Projection, z: Tensor, log_sum_exps: Tensor, *directions: Tensor
    ) -> Tensor:
        constants = [direction.detach() for direction in directions]
        return projection.moment(z.detach(), log_sum_exps.detach(), constants)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.projection, *tensors = inputs
        ctx.save_for_backward(output, *tensors)
        ctx.save_for_forward(output, *tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
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
        return None, *gradients  # the projection has no gradient

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
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
        rows = call(_Moment, args[0], *folded(info, in_dims[1:], args[1:]))
        return unfolded(info, rows)[0], 0


def _moment_derivative(
    projection: Projection,
    output: Tensor,
    tensors: list[Tensor],
    by: int,
    along: Tensor,
) -> Tensor:
    # the derivative by `tensors[by]` is a symmetric matrix if that is z or a direction, so its product with `along`
    # serves forward and backward mode
    z, log_sum_exps, *directions = tensors
    if by == 0:
        return moment(z, log_sum_exps, [*directions, along], projection)
    if by == 1:
        return -output * along
    directions[by - 2] = along
    return moment(z, log_sum_exps, directions, projection)


class WeightedPrototypes(torch.autograd.Function):
    """Autograd function that returns a weighted sum of the prototypes, and the sum of the weights, for each row."""

    @staticmethod
    def forward(
        weights: Tensor, factors: Tensor | None, projection: Projection
    ) -> tuple[Tensor, Tensor]:
        """Return the B x n weighted sums of the prototypes and the B sums of the weights, without gradient.

        Row i of the first result is the sum of weights[i, k] * factors[k] * c_k over all prototypes c_k. Entry i of the
        second result is the sum of weights[i, k] * factors[k] over all k.

        Args:
            weights: B x K weights.
            factors: K factors. None means factors of 1.
            projection: Projection that holds the prototypes.
        """
        return projection.weighted_prototypes(weights.detach(), factors)

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
    ) -> None:
        """Save the factors, the projection and the dtype of the weights.

        Args:
            ctx: Context of torch, in which they are saved.
            inputs: The three arguments of `forward`.
            output: The two results of `forward`, which are not needed.
        """
        del output
        weights, ctx.factors, ctx.projection = inputs
        ctx.dtype = weights.dtype

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        """Return the B x K gradient of a loss with respect to the weights, and None for the two other arguments.

        Args:
            ctx: Context of torch with the saved factors, projection and dtype.
            grads: Gradients of the loss with respect to the B x n weighted sums and to the B sums of the weights.
        """
        of_sum, of_total = grads
        gradient = ctx.projection(of_sum) + of_total[:, None]
        if ctx.factors is not None:
            gradient = gradient * ctx.factors
        return gradient.to(ctx.dtype), None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, Tensor]:
        """Return the derivatives of the weighted sums and of the sums of weights along the tangent of the weights.

        Args:
            ctx: Context of torch with the saved factors and projection.
            tangents: Tangents of the three arguments of `forward`. Only the first one, the tangent of the weights, is
                used.
        """
        return weighted_prototypes(tangents[0], ctx.factors, ctx.projection)

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int]]:
        """Compute the results of `forward` for all members of a batch in one call, when torch.vmap is used.

        Args:
            info: Object that torch gives to a vmap rule. Its attribute `batch_size` is the number of members of the
                batch.
            in_dims: Index of the batch dimension of each argument of `forward`. Only the weights have a batch
                dimension; for the other arguments, the index is None.
            args: The three arguments of `forward`, in which the weights have a batch dimension.

        Returns:
            The two results with a batch dimension, and the index of this dimension in each of them.
        """
        rows = folded(info, in_dims[:1], args[:1])
        return unfolded(info, *call(WeightedPrototypes, *rows, *args[1:])), (0, 0)
