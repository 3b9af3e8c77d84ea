"""Cross-entropy from log-sum-exps and a few dot products: what torch's does from B x K logits.

With s the label smoothing, w the class weights and W their sum, example i of class y has the loss
(1 - s) w_y (lse_i - z_i c_y) + (s / K) (W lse_i - z_i sum_k w_k c_k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.nn.streaming import widened

REDUCTIONS = ("mean", "sum", "none")


@dataclass(frozen=True, eq=False)
class LossOptions:
    """The options of torch's cross_entropy, under their names there."""

    num_classes: int
    weight: Tensor | None = None
    label_smoothing: float = 0.0
    reduction: str = "mean"
    ignore_index: int = -100

    def __post_init__(self) -> None:
        as_choice("reduction", self.reduction, REDUCTIONS)
        if not 0 <= self.label_smoothing <= 1:
            raise InvalidArgumentError(f"'label_smoothing' must be between 0 and 1, got {self.label_smoothing}")
        if self.weight is not None and self.weight.shape != (self.num_classes,):
            got = tuple(self.weight.shape)
            raise InvalidArgumentError(f"'weight' must hold one number a class, {self.num_classes}, got shape {got}")


class Sums(Protocol):
    """What the loss needs of prototypes, wherever they are."""

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """log sum_k exp(z c_k) of each row."""
        ...

    def prototypes(self, index: Tensor, like: Tensor | None = None) -> Tensor:
        """c_k for these classes k."""
        ...

    def weighted_sum(self, weight: Tensor | None, like: Tensor) -> Tensor:
        """sum_k w_k c_k."""
        ...


def streamed_cross_entropy(
    sums: Sums, z: Tensor, target: Tensor, scale: float | Tensor, options: LossOptions
) -> Tensor:
    """The cross-entropy of the logits scale * z c_k; float32 for half types."""
    classes, kept = checked_classes(z, target, options)
    scaled = widened(z) * scale
    log_sum_exps = sums.log_sum_exp(scaled)
    own = (scaled * sums.prototypes(classes, scaled)).sum(1)
    spread = scaled @ sums.weighted_sum(options.weight, scaled) if options.label_smoothing else None
    return loss_from_sums(log_sum_exps, own, spread, classes, kept, options)


def checked_classes(z: Tensor, target: Tensor, options: LossOptions) -> tuple[Tensor, Tensor]:
    """The classes, 0 where ignored, and which examples count; one sentence for targets that are no classes."""
    if target.dtype != torch.int64 or target.shape != z.shape[:1]:
        got = f"{target.dtype} of shape {tuple(target.shape)}"
        raise InvalidArgumentError(f"'target' must be int64 of shape ({len(z)},), one class an example, got {got}")
    kept = target != options.ignore_index
    classes = torch.where(kept, target, 0)
    if len(classes) and (int(classes.min()) < 0 or int(classes.max()) >= options.num_classes):
        got = f"{int(classes.min())}..{int(classes.max())}"
        raise InvalidArgumentError(f"'target' must lie in 0, ..., {options.num_classes - 1}, got {got}")
    return classes, kept


def loss_from_sums(
    log_sum_exps: Tensor, own: Tensor, spread: Tensor | None, classes: Tensor, kept: Tensor, options: LossOptions
) -> Tensor:
    """The loss from lse_i, z_i c_y and, with label smoothing, z_i sum_k w_k c_k."""
    weights = torch.ones_like(own) if options.weight is None else options.weight.to(own.dtype)[classes]
    smoothing = options.label_smoothing
    losses = (1 - smoothing) * weights * (log_sum_exps - own)
    if spread is not None:
        total = options.num_classes if options.weight is None else options.weight.sum().to(own.dtype)
        losses = losses + smoothing / options.num_classes * (total * log_sum_exps - spread)
    losses = torch.where(kept, losses, 0)
    if options.reduction == "none":
        return losses
    return losses.sum() if options.reduction == "sum" else losses.sum() / (weights * kept).sum()
