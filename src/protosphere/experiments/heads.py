"""Build the head of a config (fixed prototypes or a learned layer), the loss, and the classifier with this head.

A config holds all settings of a training run. The backbone maps an input to a vector z of n numbers, and the head maps
z to K logits, one for each class. A learned head has no prototypes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from protosphere.errors import InvalidArgumentError, brief
from protosphere.experiments.config import TrainingConfig
from protosphere.nn import LOSSES, PrototypeHead
from protosphere.nn.presets import preset_named
from protosphere.nn.scale import Scale
from protosphere.spherical.spherical_code import SphericalCode

LARGEST_LOGITS = 1 << 24
"""Largest number of logits, B times K, that a training step keeps in memory (64 MB).

If a batch of B examples and K classes has more logits, the loss is computed in blocks of classes.
"""

DEFAULT_LOSS = "cross_entropy"
"""Name of the loss if the settings `preset` and `loss` are "auto". The presets that "auto" chooses have this loss."""

Objective = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Type of a function (z, labels) -> (sum of the losses, number of correct predictions)."""


def build_head(
    config: TrainingConfig, num_classes: int, code: SphericalCode | None
) -> nn.Module:
    """Return the head of a config: a module that maps z, the output of the backbone, to K logits.

    - If `code` is given, the head is a `PrototypeHead`.
    - Otherwise, if the setting `head` of the config is "bottleneck", the head is a learned linear layer.
    - Otherwise, the head returns z unchanged, because the last layer of the backbone computes the logits.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        num_classes: Number of classes K.
        code: Prototypes; point i is the prototype of class i. None for a learned head.

    Raises:
        InvalidArgumentError: If the head is "linear" and the setting `dim` is not the number of classes.
    """
    if code is not None:
        return configured_head(config, code)
    if config.head == "bottleneck":
        return nn.Linear(config.dim, num_classes)
    if config.dim != num_classes:
        raise InvalidArgumentError(
            f"'dim' of a linear head must be the number of classes, {num_classes}, got {config.dim}"
        )
    return nn.Identity()


def configured_head(config: TrainingConfig, code: SphericalCode) -> PrototypeHead:
    """Return a `PrototypeHead` with the prototypes of `code`, and the preset and the scale of the config.

    The preset says how z and the prototypes give logits. The scale is the factor of the logits. If the preset of the
    config is "auto", the head chooses it by the number of classes.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        code: Prototypes; point i is the prototype of class i.
    """
    preset = None if config.preset == "auto" else config.preset
    return PrototypeHead(code, preset=preset, scale=config.scale)


def build_objective(config: TrainingConfig, head: nn.Module) -> Objective:
    """Return the function that computes the loss of a run and counts the correct predictions.

    The function takes the B x n outputs z of the backbone and the B labels of a batch. It returns the sum of the B
    losses and the number of correct predictions, as two scalar tensors.

    Args:
        config: Settings of the run, with the loss and its options.
        head: Module that maps z to B x K logits. If it is not a `PrototypeHead`, the loss is the cross-entropy of its
            logits.
    """
    if not isinstance(head, PrototypeHead):
        return partial(_from_logits, head)
    loss = LOSSES[head.preset.loss if config.loss == "auto" else config.loss]
    if loss.name == "cross_entropy":
        # without streaming, all B x K logits are in memory
        if prefers_streaming(head, config.batch_size):
            return _decoding(head, partial(head.loss, reduction="sum"))
        return partial(_from_logits, head)
    options = dict(config.loss_options)
    if "scale" in loss.options and not isinstance(config.scale, str):
        options.setdefault("scale", config.scale)
    module = loss.module(head, **options)

    def summed(z: Tensor, labels: Tensor) -> Tensor:
        if not len(labels):  # the mean of no examples is not a number
            return z.sum()
        return module(z, labels) * len(labels)

    return _decoding(head, summed)


def prefers_streaming(head: PrototypeHead, batch_size: int) -> bool:
    """Return True if the loss should be computed in blocks of classes instead of from a matrix of all logits.

    The result is True in each of these cases:

    - A batch has more than 2^24 logits (`LARGEST_LOGITS`). Their number is `batch_size` times the number of classes.
    - The head computes dot products by fast Hadamard transforms. Computation in blocks is then faster.

    Args:
        head: Head with the prototypes.
        batch_size: Number of examples in a batch.
    """
    return (
        head.projection.kind == "hadamard"
        or batch_size * head.num_classes > LARGEST_LOGITS
    )


def check_preset_and_loss(config: TrainingConfig) -> None:
    """Check that the preset, the scale, the loss and the options of the loss that a config names are valid.

    Args:
        config: Settings of the run.

    Raises:
        InvalidArgumentError: If the preset, the scale or the loss is not valid, or if the setting `loss_options`
            contains an option that the loss does not have.
    """
    Scale(config.scale, 1.0)
    if config.preset == "auto":
        preset_loss = DEFAULT_LOSS
    else:
        preset_loss = preset_named(config.preset).loss
    name = preset_loss if config.loss == "auto" else config.loss
    loss = LOSSES.named(name, otherwise=", or auto")
    for option in config.loss_options:
        if option not in loss.options:
            offered = ", ".join(loss.options) or "none"
            raise InvalidArgumentError(
                f"the loss '{loss.name}' has no option {brief(option)} in 'loss_options'; its options are: {offered}"
            )


def _from_logits(head: nn.Module, z: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    logits = head(z)
    return cross_entropy(logits, labels, reduction="none").sum(), (
        logits.argmax(dim=1) == labels
    ).sum()


def _decoding(
    head: PrototypeHead, summed_loss: Callable[[Tensor, Tensor], Tensor]
) -> Objective:

    def objective(z: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        loss = summed_loss(z, labels)
        with torch.no_grad():
            return loss, (head.decode(z).classes[:, 0] == labels).sum()

    return objective


class Classifier(nn.Module):
    """Network that consists of a backbone, which maps inputs to z, and a head, which maps z to logits.

    Args:
        backbone: Module from inputs to B x n vectors z.
        head: Module from z to B x K logits. It computes in float64 if z is float64, otherwise in float32.
        objective: Function (z, labels) -> (sum of losses, number of correct predictions).
    """

    def __init__(
        self, backbone: nn.Module, head: nn.Module, objective: Objective
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head
        self.objective = objective

    def forward(self, inputs: Tensor, labels: Tensor | None = None) -> Any:
        """Return the output z of the backbone or, if labels are given, the loss and the number of correct predictions.

        Args:
            inputs: Batch of B inputs of the backbone.
            labels: Classes of the B inputs; None to return z.

        Returns:
            The B x n vectors z. If labels are given, two scalar tensors instead of z: the sum of the losses of the B
            inputs, and the number of correct predictions.
        """
        z = self.backbone(inputs)
        with torch.autocast(z.device.type, enabled=False):
            z = z if z.dtype == torch.float64 else z.float()
            return z if labels is None else self.objective(z, labels)

    def after_step(self) -> None:
        """Do nothing. Networks with a teacher network update it in this method, after each step of the optimizer."""

    def predicted(self, z: Tensor) -> Tensor:
        """Return the class with the largest logit for each row of z.

        Args:
            z: B x n outputs of the backbone.
        """
        if isinstance(self.head, PrototypeHead) and prefers_streaming(
            self.head, len(z)
        ):
            return self.head.decode(z).classes[:, 0]
        return self.head(z).argmax(dim=1)

    def learned(self) -> dict[str, Tensor]:
        """Return the state_dict of the backbone and the parameters of the head in one dictionary, on the CPU.

        The names of the parameters of the head have the prefix "(head).".
        """
        head = {
            f"(head).{name}": parameter
            for name, parameter in self.head.named_parameters()
        }
        return {
            name: value.detach().cpu()
            for name, value in (self.backbone.state_dict() | head).items()
        }
