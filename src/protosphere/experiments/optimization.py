"""The descent of a recipe: its optimiser, and the learning rate over epochs."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

from protosphere.experiments.config import Recipe


def build_optimiser(
    recipe: Recipe, parameters: Iterable[nn.Parameter]
) -> torch.optim.Optimizer:
    """SGD with momentum, or AdamW."""
    if recipe.optimiser == "adamw":
        betas = (recipe.momentum, 0.999)
        return torch.optim.AdamW(
            parameters, lr=recipe.lr, betas=betas, weight_decay=recipe.weight_decay
        )
    return torch.optim.SGD(
        parameters,
        lr=recipe.lr,
        momentum=recipe.momentum,
        weight_decay=recipe.weight_decay,
    )


def build_schedule(recipe: Recipe, optimiser: torch.optim.Optimizer) -> Any:
    """The rate of each epoch."""
    if recipe.schedule == "cosine":
        return CosineAnnealingLR(optimiser, max(1, recipe.epochs))
    return LambdaLR(optimiser, lambda _: 1.0)


def set_rate(optimiser: Any, rate: float) -> None:
    """Make this the learning rate of every weight."""
    for group in optimiser.param_groups:
        group["lr"] = rate
