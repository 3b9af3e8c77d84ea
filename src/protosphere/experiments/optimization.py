"""Build the optimizer of a config and its learning-rate schedule.

A config holds all settings of a training run.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

from protosphere.experiments.config import TrainingConfig


def build_optimizer(
    config: TrainingConfig, parameters: Iterable[nn.Parameter]
) -> torch.optim.Optimizer:
    """Return the optimizer of the config: SGD with momentum, or AdamW.

    Args:
        config: Config with optimizer, learning rate, momentum and weight decay.
        parameters: Parameters to train.
    """
    if config.optimizer == "adamw":
        betas = (config.momentum, 0.999)
        return torch.optim.AdamW(
            parameters, lr=config.lr, betas=betas, weight_decay=config.weight_decay
        )
    return torch.optim.SGD(
        parameters,
        lr=config.lr,
        momentum=config.momentum,
        weight_decay=config.weight_decay,
    )


def build_schedule(config: TrainingConfig, optimizer: torch.optim.Optimizer) -> Any:
    """Return the learning-rate schedule of the config: cosine annealing to 0, or a constant rate.

    The schedule takes one step per epoch.

    Args:
        config: Config with the schedule and the number of epochs.
        optimizer: Optimizer whose learning rate changes.
    """
    if config.schedule == "cosine":
        return CosineAnnealingLR(optimizer, max(1, config.epochs))
    return LambdaLR(optimizer, lambda _: 1.0)


def set_rate(optimizer: Any, rate: float) -> None:
    """Set the learning rate of all parameters of an optimizer.

    Args:
        optimizer: Optimizer to change.
        rate: New learning rate.
    """
    for group in optimizer.param_groups:
        group["lr"] = rate
