"""The head of a config, fixed prototypes or a learned layer; what is trained through it; and it with its network."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import DEFAULTS, TrainingConfig
from protosphere.nn import LOSSES, PrototypeHead
from protosphere.nn.presets import preset_named
from protosphere.nn.scale import Scale
from protosphere.spherical.spherical_code import SphericalCode

LARGEST_LOGITS = 1 << 24
"""B K up to which a step holds all logits, 64 MB: they are wanted for the accuracy anyway."""

Objective = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""From z and its classes to the sum of the losses, and how many are nearest to their own class."""


def build_head(
    config: TrainingConfig, num_classes: int, code: SphericalCode | None
) -> nn.Module:
    """From z to K logits; `code` are the prototypes of a head that has them."""
    if code is not None:
        return PrototypeHead(code, preset=config.preset, scale=config.scale)
    if config.head == "bottleneck":
        return nn.Linear(config.dim, num_classes)
    if config.dim != num_classes:
        wanted = f"the number of classes, {num_classes}"
        raise InvalidArgumentError(
            f"'dim' of a linear head must be {wanted}, got {config.dim}"
        )
    return nn.Identity()


def build_objective(config: TrainingConfig, head: nn.Module) -> Objective:
    """The config's loss on that head, by whatever is fastest: all logits at once, streaming, or a module of its own."""
    if not isinstance(head, PrototypeHead):
        return partial(_from_logits, head)
    loss = LOSSES[head.preset.loss if config.loss == "auto" else config.loss]
    if loss.name == "cross_entropy":
        streams = prefers_streaming(head, config.batch_size)
        if streams:
            return _decoding(head, partial(head.loss, reduction="sum"))
        return partial(_from_logits, head)
    offered = {"margin": config.margin, "scale": config.scale}
    module = loss.module(
        head,
        **{
            k: v
            for k, v in offered.items()
            if k in loss.options and not isinstance(v, str)
        },
    )
    # without examples 0, for their mean is not a number
    return _decoding(
        head,
        lambda z, labels: module(z, labels) * len(labels) if len(labels) else z.sum(),
    )


def prefers_streaming(head: PrototypeHead, batch_size: int) -> bool:
    """Whether logits are better never held: they are many, or the code's structure gives their sums without them."""
    return (
        head.projection.kind == "hadamard"
        or batch_size * head.num_classes > LARGEST_LOGITS
    )


def check_preset_and_loss(config: TrainingConfig) -> None:
    """Refuse a preset, scale or loss that does not exist, and a margin that the loss has no use for."""
    preset = preset_named(config.preset)
    Scale(config.scale, 1.0)
    loss = LOSSES.named(
        preset.loss if config.loss == "auto" else config.loss, otherwise=", or auto"
    )
    if config.margin != DEFAULTS["margin"] and "margin" not in loss.options:
        having = ", ".join(
            name for name, other in LOSSES.items() if "margin" in other.options
        )
        raise InvalidArgumentError(
            f"'margin' goes with the losses {having}, and the loss is '{loss.name}'"
        )


def _from_logits(head: nn.Module, z: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    logits = head(z)
    return cross_entropy(logits, labels, reduction="none").sum(), (
        logits.argmax(dim=1) == labels
    ).sum()


def _decoding(
    head: PrototypeHead, summed_loss: Callable[[Tensor, Tensor], Tensor]
) -> Objective:
    """Of a loss that holds no logits; the nearest classes are asked for beside it."""

    def objective(z: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        loss = summed_loss(z, labels)
        with torch.no_grad():
            return loss, (head.decode(z).classes[:, 0] == labels).sum()

    return objective


class Classifier(nn.Module):
    """Inputs to z by the backbone, z to logits by the head, which stays in single precision or better."""

    def __init__(
        self, backbone: nn.Module, head: nn.Module, objective: Objective
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head
        self.objective = objective

    def forward(self, inputs: Tensor, labels: Tensor | None = None) -> Any:
        """z; with labels the sum of the losses and the number of inputs that are nearest to their own class."""
        z = self.backbone(inputs)
        with torch.autocast(z.device.type, enabled=False):
            z = z if z.dtype == torch.float64 else z.float()
            return z if labels is None else self.objective(z, labels)

    def predicted(self, z: Tensor) -> Tensor:
        """The class of each z."""
        if isinstance(self.head, PrototypeHead) and prefers_streaming(
            self.head, len(z)
        ):
            return self.head.decode(z).classes[:, 0]
        return self.head(z).argmax(dim=1)

    def learned(self) -> dict[str, Tensor]:
        """What training decided: the state of the backbone by its own names, and the parameters of the head."""
        head = {
            f"(head).{name}": parameter
            for name, parameter in self.head.named_parameters()
        }
        return {
            name: value.detach().cpu()
            for name, value in (self.backbone.state_dict() | head).items()
        }
