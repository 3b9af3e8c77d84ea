"""Cross-entropy of B x K logits, computed from log-sum-exps and a few dot products instead of all logits.

A projection is a module that maps vectors to their dot products with the prototypes. The log-sum-exp of some numbers is
the logarithm of the sum of their exponentials. The results equal those of `torch.nn.functional.cross_entropy`. Let c_1,
..., c_K be the prototypes, w_1, ..., w_K the class weights, W the sum of the class weights, and s the label smoothing.
A product of two vectors, such as z_i c_1, is their dot product. Let z_i be the vector of example i. The logits of the
example are the dot products z_i c_1, ..., z_i c_K, and lse_i is their log-sum-exp. If the target of the example is the
class y, its loss is

    (1 - s) w_y (lse_i - z_i c_y) + (s / K) (W lse_i - z_i sum_k w_k c_k).

If the target consists of probabilities q_1, ..., q_K, the first term of the loss is replaced by

    (1 - s) (lse_i sum_k w_k q_k - z_i sum_k w_k q_k c_k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.streaming.softmax import (
    log_sum_exp,
    log_sum_exp_and_target,
    mean_prototype,
    weighted_prototypes,
)
from protosphere.nn.tracing import call, is_traced, under_transform
from protosphere.nn.vectors import widened

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection


REDUCTIONS = ("mean", "sum", "none")

IGNORED_CLASS = -100
"""Default target of examples that are ignored, as in torch."""


@dataclass(frozen=True, eq=False)
class LossOptions:
    """Options of `torch.nn.functional.cross_entropy`, with the same names.

    Attributes:
        num_classes: Number of classes K.
        weight: K class weights, by which the losses of the classes are multiplied. None means weights of 1.
        label_smoothing: Fraction of the target's probability that is spread evenly over all classes.
        reduction: 'none' for one loss per example, 'sum' for the sum of these losses, or 'mean' for their mean. If the
            targets are class indices, the mean is the sum of the losses divided by the sum of the class weights of the
            targets.
        ignore_index: Target of examples that do not contribute to the loss. It is not used if the targets are
            probabilities.
    """

    num_classes: int
    weight: Tensor | None = None
    label_smoothing: float = 0.0
    reduction: str = "mean"
    ignore_index: int = IGNORED_CLASS

    def __post_init__(self) -> None:
        if self.reduction not in REDUCTIONS:
            as_choice("reduction", self.reduction, REDUCTIONS)
        if not 0 <= self.label_smoothing <= 1:
            raise InvalidArgumentError(
                f"'label_smoothing' must be between 0 and 1, got {self.label_smoothing}"
            )
        if self.weight is None:
            return
        if self.weight.shape != (self.num_classes,):
            got = tuple(self.weight.shape)
            raise InvalidArgumentError(
                f"'weight' must hold one number per class, {self.num_classes}, got shape {got}"
            )
        if self.weight.requires_grad:
            raise InvalidArgumentError(
                "'weight' must be constant, got one that requires a gradient; weight.detach()"
            )


def streamed_cross_entropy(
    projection: Projection,
    z: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
    ignore_index: int = IGNORED_CLASS,
) -> Tensor:
    """Return the cross-entropy of the dot products of z with the prototypes, without materializing these logits.

    The result equals that of `torch.nn.functional.cross_entropy` with the same options for the same logits.

    Args:
        projection: Module that computes dot products with the K prototypes.
        z: (..., n) vectors in float32 or float64.
        target: (...) class indices, or (..., K) probabilities of the classes.
        weight: K class weights, by which the losses of the classes are multiplied. None means weights of 1.
        label_smoothing: Fraction of the target's probability that is spread evenly over all classes.
        reduction: 'none' for one loss per vector, 'sum' for the sum of these losses, or 'mean' for their mean. If
            `target` has class indices, the mean is the sum of the losses divided by the sum of the class weights of the
            targets.
        ignore_index: Target of examples that do not contribute to the loss. It is not used if the targets are
            probabilities.

    Returns:
        The loss, a scalar. If `reduction` is 'none', a tensor of shape (...) with one loss per vector.

    Raises:
        InvalidArgumentError: If an option or the target is not valid.
    """
    num_classes = projection.num_classes
    options = LossOptions(num_classes, weight, label_smoothing, reduction, ignore_index)
    rows = z if z.ndim == 2 else z.reshape(-1, z.shape[-1])
    if target.is_floating_point():
        fits = _same_sizes(target.shape, (*z.shape[:-1], num_classes))
        _require_fit(fits, z, target, num_classes)
        probabilities = target.reshape(-1, num_classes)
        weights, losses = _losses_of_probabilities(
            projection, rows, probabilities, options
        )
    else:
        classes, kept = checked_classes(z, target, num_classes, ignore_index)
        weights, losses = _losses_of_classes(
            projection, rows, classes.flatten(), kept.flatten(), options
        )
    if reduction == "none":
        return losses.reshape(z.shape[:-1])
    if reduction == "sum":
        return losses.sum()
    return losses.sum() / weights.sum()


def _losses_of_classes(
    projection: Projection,
    rows: Tensor,
    classes: Tensor,
    kept: Tensor,
    options: LossOptions,
) -> tuple[Tensor, Tensor]:
    # returns a weight and a loss for each example
    # The losses already include the class weights and label smoothing: the mean loss is the sum of the losses divided
    # by the sum of the weights. Both are 0 for ignored examples, whose entry of `kept` is False.
    log_sum_exps, own = log_sum_exp_and_target(rows, classes, projection)
    losses = _not_negative(log_sum_exps - own)
    if options.weight is None:
        counts = kept.to(rows.dtype)
    else:
        counts = options.weight.to(rows.dtype)[classes] * kept
        losses = counts * losses
    smoothed = _smoothed(losses, projection, rows, log_sum_exps, options)
    return counts, torch.where(kept, smoothed, 0)


def _losses_of_probabilities(
    projection: Projection, rows: Tensor, target: Tensor, options: LossOptions
) -> tuple[Tensor, Tensor]:
    # returns a weight of 1 and a loss for each example
    # the losses already include the class weights and label smoothing
    finer = torch.promote_types(rows.dtype, target.dtype)
    rows = rows.to(finer)
    if widened(target[:0]).dtype != finer:
        target = target.to(finer)
    log_sum_exps = log_sum_exp(rows, projection)
    factors = None if options.weight is None else options.weight.to(rows.dtype)
    means, totals = weighted_prototypes(target, factors, projection)
    losses = totals * log_sum_exps - (rows * means).sum(1)
    is_nonnegative = target.detach().amin(1) >= 0
    if factors is not None:
        is_nonnegative = is_nonnegative & (factors >= 0).all()
    losses = _not_negative(losses, is_nonnegative)
    smoothed = _smoothed(losses, projection, rows, log_sum_exps, options)
    return torch.ones_like(log_sum_exps), smoothed


def _smoothed(
    losses: Tensor,
    projection: Projection,
    rows: Tensor,
    log_sum_exps: Tensor,
    options: LossOptions,
) -> Tensor:
    # The docstring of the module has the formula: z_i is row i of `rows`, and lse_i is entry i of `log_sum_exps`.
    smoothing = options.label_smoothing
    if not smoothing:
        return losses
    if options.weight is None:
        mean = mean_prototype(rows, projection)
        spread = _not_negative(log_sum_exps - _products(rows, mean))
        return (1 - smoothing) * losses + smoothing * spread
    weight = options.weight.to(rows.dtype)
    (mean,), (total,) = weighted_prototypes(weight[None], None, projection)
    products = _products(rows, mean)
    spread = _not_negative(total * log_sum_exps - products, (weight >= 0).all())
    return (1 - smoothing) * losses + smoothing / options.num_classes * spread


def _products(rows: Tensor, point: Tensor) -> Tensor:
    # autocast would round the products
    with without_autocast(rows):
        return rows @ point


def _not_negative(losses: Tensor, replaced: Tensor | None = None) -> Tensor:
    # negative by rounding are those losses whose entry of `replaced` is True, or all losses if it is None
    # other negative losses are kept, for example those with a negative class weight
    below = losses.detach().clamp(max=0)
    if replaced is not None:
        below = torch.where(replaced, below, 0)
    return losses - below


def checked_classes(
    z: Tensor, target: Tensor, num_classes: int, ignore_index: int = IGNORED_CLASS
) -> tuple[Tensor, Tensor]:
    """Check the target classes, and return them with a mask of the examples that are not ignored.

    Args:
        z: (..., n) vectors, of which only the shape is used.
        target: (...) class indices, one for each vector.
        num_classes: Number of classes K.
        ignore_index: Target of examples that are ignored.

    Returns:
        A tuple of two tensors of shape (...): the classes as int64, and booleans that are False for ignored examples.
        The class of an ignored example is replaced by 0.

    Raises:
        InvalidArgumentError: If the targets are not integers of shape (...), or one of them is neither a class nor
            `ignore_index`.
    """
    is_other = target.is_floating_point() or target.is_complex()
    is_integer = not is_other and target.dtype != torch.bool
    fits = is_integer and _same_sizes(target.shape, z.shape[:-1])
    _require_fit(fits, z, target, num_classes)
    if under_transform():
        return call(_ClassCheck, target.long(), num_classes, ignore_index)
    return _ClassCheck.forward(target.long(), num_classes, ignore_index)


def classes_in_range(name: str, index: Tensor, num_classes: int) -> Tensor:
    """Return `index` as int64, after a check that every entry is a class index.

    The function also works inside `torch.vmap`.

    Args:
        name: Name of the argument in the error message.
        index: Integers, a tensor of any shape.
        num_classes: Number of classes K.

    Raises:
        InvalidArgumentError: If an entry is not between 0 and K - 1.
    """
    return call(_ClassCheck, index.long(), num_classes, None, name)[0]


def _same_sizes(found: tuple[int, ...], needed: tuple[int, ...]) -> bool:
    # while tracing, only the numbers of dimensions are known
    if is_traced():
        return len(found) == len(needed)
    return found == needed


def _require_fit(fits: bool, z: Tensor, target: Tensor, num_classes: int) -> None:
    if fits:
        return
    shape = tuple(z.shape[:-1])
    got = f"{target.dtype} of shape {tuple(target.shape)}"
    raise InvalidArgumentError(
        f"'target' must hold classes, integers of shape {shape}, or probabilities of shape "
        f"{(*shape, num_classes)}, got {got}"
    )


class _ClassCheck(torch.autograd.Function):
    @staticmethod
    def forward(
        target: Tensor, num_classes: int, ignore_index: int | None, name: str = "target"
    ) -> tuple[Tensor, Tensor]:
        if ignore_index is None:
            kept = torch.ones_like(target, dtype=torch.bool)
        else:
            kept = target != ignore_index
        classes = torch.where(kept, target, 0)
        _require_classes(classes, num_classes, name)
        return classes, kept

    @staticmethod
    def setup_context(
        ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]
    ) -> None:
        del inputs
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> tuple[Any, Any]:
        del info
        return call(_ClassCheck, *args), (in_dims[0], in_dims[0])


def _require_classes(classes: Tensor, num_classes: int, name: str) -> None:
    # on other devices than the CPU and in compiled code, the error is raised when the check is executed
    within = ((classes >= 0) & (classes < num_classes)).all()
    needed = f"'{name}' must lie in 0, ..., {num_classes - 1}"
    if is_traced():  # torch.jit.trace cannot record the check
        return
    if torch.compiler.is_compiling() or classes.device.type != "cpu":
        cast("Any", torch)._assert_async(within, needed)
        return
    try:
        cast("Any", torch)._assert_async(within, needed)
    except RuntimeError:
        raise InvalidArgumentError(
            f"{needed}, got {int(classes.min())}..{int(classes.max())}"
        ) from None
