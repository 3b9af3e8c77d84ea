"""Cross-entropy from log-sum-exps and a few dot products: what torch's does from B x K logits.

With s the label smoothing, w the class weights and W their sum, example i of class y has the loss
(1 - s) w_y (lse_i - z_i c_y) + (s / K) (W lse_i - z_i sum_k w_k c_k). One with the probabilities q_k has
(1 - s) (lse_i sum_k w_k q_k - z_i sum_k w_k q_k c_k) in place of the first term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.nn.streaming.softmax import (
    log_sum_exp,
    log_sum_exp_and_target,
    weighted_prototypes,
)
from protosphere.nn.tracing import call, is_traced, under_transform

if TYPE_CHECKING:
    from protosphere.nn.projections.projection import Projection


@dataclass(frozen=True, eq=False)
class LossOptions:
    """The options of torch's cross_entropy, under their names there."""

    num_classes: int
    weight: Tensor | None = None
    label_smoothing: float = 0.0
    reduction: str = "mean"
    ignore_index: int = -100

    def __post_init__(self) -> None:
        as_choice("reduction", self.reduction, ("mean", "sum", "none"))
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
    prototypes: Projection,
    z: Tensor,
    target: Tensor,
    scale: float | Tensor,
    options: LossOptions,
) -> Tensor:
    """The cross-entropy of the logits scale * z c_k, classes last, z of any dimensions; float32 for half types."""
    rows = widened(z) if z.ndim == 2 else widened(z).reshape(-1, z.shape[-1])
    rows = rows if isinstance(scale, float) and scale == 1.0 else rows * scale
    if target.is_floating_point():
        _require_fit(
            _same_sizes(target.shape, (*z.shape[:-1], options.num_classes)),
            z,
            target,
            options,
        )
        weights, losses = _losses_of_probabilities(
            prototypes, rows, target.reshape(-1, options.num_classes), options
        )
    else:
        classes, kept = checked_classes(z, target, options)
        weights, losses = _losses_of_classes(
            prototypes, rows, classes.flatten(), kept.flatten(), options
        )
    if options.reduction == "none":
        return losses.reshape(z.shape[:-1])
    return losses.sum() if options.reduction == "sum" else losses.sum() / weights.sum()


def _losses_of_classes(
    prototypes: Projection,
    rows: Tensor,
    classes: Tensor,
    kept: Tensor,
    options: LossOptions,
) -> tuple[Tensor, Tensor]:
    """How much each example counts in the mean, and its loss."""
    log_sum_exps, own = log_sum_exp_and_target(rows, classes, prototypes)
    if options.weight is None:
        each = kept.to(rows.dtype)
    else:
        each = options.weight.to(rows.dtype)[classes] * kept
    losses = _not_negative(log_sum_exps - own)
    losses = losses if options.weight is None else each * losses
    return each, torch.where(
        kept, _smoothed(losses, prototypes, rows, log_sum_exps, options), 0
    )


def _losses_of_probabilities(
    prototypes: Projection, rows: Tensor, target: Tensor, options: LossOptions
) -> tuple[Tensor, Tensor]:
    """The same for rows of probabilities, all of which count alike; in the finer of the two types."""
    finer = torch.promote_types(rows.dtype, target.dtype)
    rows = rows.to(finer)
    target = target if widened(target[:0]).dtype == finer else target.to(finer)
    log_sum_exps = log_sum_exp(rows, prototypes)
    factors = None if options.weight is None else options.weight.to(rows.dtype)
    means, totals = weighted_prototypes(target, factors, prototypes)
    surprise = totals * log_sum_exps - (rows * means).sum(1)
    allowed = target.detach().amin(1) >= 0
    losses = _not_negative(
        surprise, allowed if factors is None else allowed & (factors >= 0).all()
    )
    return torch.ones_like(log_sum_exps), _smoothed(
        losses, prototypes, rows, log_sum_exps, options
    )


def _smoothed(
    losses: Tensor,
    prototypes: Projection,
    rows: Tensor,
    log_sum_exps: Tensor,
    options: LossOptions,
) -> Tensor:
    """(1 - s) times the losses, and (s / K) sum_k w_k (lse - z c_k)."""
    if not options.label_smoothing:
        return losses
    ones = rows.new_ones(options.num_classes)
    weight = ones if options.weight is None else options.weight.to(rows.dtype)
    (mean,), (total,) = weighted_prototypes(weight[None], None, prototypes)
    spread = _not_negative(total * log_sum_exps - rows @ mean, (weight >= 0).all())
    return (
        1 - options.label_smoothing
    ) * losses + options.label_smoothing / options.num_classes * spread


def _not_negative(losses: Tensor, known: Tensor | None = None) -> Tensor:
    """Losses that only rounding takes below 0 (where `known` to be so) lifted to it, their gradients as they are."""
    below = losses.detach().clamp(max=0)
    return losses - (below if known is None else torch.where(known, below, 0))


def checked_classes(
    z: Tensor, target: Tensor, options: LossOptions
) -> tuple[Tensor, Tensor]:
    """The classes, 0 where ignored, and which examples count; one sentence for targets that are no classes."""
    integers = not (
        target.is_floating_point() or target.is_complex() or target.dtype == torch.bool
    )
    _require_fit(
        integers and _same_sizes(target.shape, z.shape[:-1]), z, target, options
    )
    given = target.long(), options.num_classes, options.ignore_index
    return call(_Classes, *given) if under_transform() else _Classes.forward(*given)


def classes_in_range(name: str, index: Tensor, num_classes: int) -> Tensor:
    """The classes in `index`, through vmap; one sentence that begins with `name` where there is none of a number."""
    return call(_Classes, index.long(), num_classes, None, name)[0]


def _same_sizes(found: tuple[int, ...], needed: tuple[int, ...]) -> bool:
    """Whether they are equal; while a trace is recorded, where they are tensors, whether there are as many of them."""
    return len(found) == len(needed) if is_traced() else found == needed


def _require_fit(fits: bool, z: Tensor, target: Tensor, options: LossOptions) -> None:
    if not fits:
        shape, got = (
            tuple(z.shape[:-1]),
            f"{target.dtype} of shape {tuple(target.shape)}",
        )
        raise InvalidArgumentError(
            f"'target' must hold classes, integers of shape {shape}, or probabilities of shape "
            f"{(*shape, options.num_classes)}, got {got}"
        )


class _Classes(torch.autograd.Function):
    """Classes and which of them count, looked at without waiting for a device, and through `torch.vmap`."""

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
        return call(_Classes, *args), (in_dims[0], in_dims[0])


def _require_classes(classes: Tensor, num_classes: int, name: str) -> None:
    """Raise unless they are classes: here on a processor, later on a device that works on its own."""
    within = ((classes >= 0) & (classes < num_classes)).all()
    needed = f"'{name}' must lie in 0, ..., {num_classes - 1}"
    if is_traced():  # which cannot record the question
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
