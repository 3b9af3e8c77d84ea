"""Losses of the papers on prototypes that do not move, and the decision by the nearest of them.

Prototypes are the rows of a K x n tensor. `lindstrom` takes logits z.c with z as the network gives it: its length is a
free temperature, as in the authors' program (docs/slips.md, 4). `mettes` pulls the direction of z to its prototype.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

Objective = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From features B x n, prototypes K x n and labels to the loss of each image."""


def lindstrom(features: Tensor, prototypes: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy on z.c, z not normalised."""
    return functional.cross_entropy(features @ prototypes.T, labels, reduction="none")


def mettes(features: Tensor, prototypes: Tensor, labels: Tensor) -> Tensor:
    """(1 - cos)^2 to the prototype of the class: P. Mettes et al., Hyperspherical prototype networks, 2019."""
    return (1 - functional.cosine_similarity(features, prototypes[labels])) ** 2


OBJECTIVE_FUNCTIONS: dict[str, Objective] = {"lindstrom": lindstrom, "mettes": mettes}


def nearest_classes(features: Tensor, prototypes: Tensor) -> Tensor:
    """For each row the class of the nearest prototype, which for unit vectors is the one of the largest z.c."""
    return torch.argmax(features @ prototypes.T, dim=1)
