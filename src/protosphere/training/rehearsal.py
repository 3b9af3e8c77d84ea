"""A rehearsal: prototypes move with the network for an epoch or two, and what they come to is fixed.

Where there are few dimensions, no choice of classes for given points reaches what a learned layer finds; a short look
at the training examples finds most of it, and the head is as fixed afterwards as any other.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, normalize

import protosphere as ps
from protosphere.code.spherical_code import SphericalCode
from protosphere.data import Dataset
from protosphere.nn import PrototypeHead
from protosphere.training.recipe import Recipe

REHEARSAL_FOLDER = "rehearsal"

STRIDE = 20.0
"""How much faster than unit vectors they turn: gradients of v / |v| go as 1 / |v|, and angles as its square."""


class MovingPrototypes(nn.Module):
    """A prototype head whose prototypes are learned, on the sphere; cross-entropy on its logits is trained."""

    def __init__(self, code: SphericalCode, preset: str, scale: float | str) -> None:
        super().__init__()
        self.head = PrototypeHead(code, preset=preset, scale=scale)
        self.vectors = nn.Parameter(torch.tensor(code.points / np.sqrt(STRIDE), dtype=torch.float32))

    def forward(self, z: Tensor) -> Tensor:
        """The logits."""
        return linear(self.head.embed(z), normalize(self.vectors, dim=1).to(z.dtype))


def rehearsed(recipe: Recipe, code: SphericalCode, dataset: Dataset, folder: Path, fabric: Any) -> SphericalCode:
    """The points that these prototypes move to over the recipe's rehearsal, at its rate throughout."""
    from protosphere.training.training import train

    head = MovingPrototypes(code, recipe.preset, recipe.scale)
    alone = recipe.changed(epochs=recipe.rehearsal, reassignment=0, schedule="constant", warmup=0.0)
    train(alone, None, dataset, folder / REHEARSAL_FOLDER, fabric, tensorboard=False, head=head)
    return ps.from_points(head.vectors.detach().double().cpu().numpy(), normalize=True)
