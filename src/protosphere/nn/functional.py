"""What a head computes, as functions: how z is brought near the sphere, the scale of its logits, its targets."""

from typing import Any, cast

import torch
from torch import Tensor

from protosphere.nn.cross_entropy import LossOptions, checked_classes
from protosphere.nn.projections import Projection
from protosphere.nn.streaming import widened

SMALLEST_NORM = 1e-12
"""Vectors no longer than this have no direction."""


def norms(z: Tensor) -> Tensor:
    """|z| of each row, B x 1; gradient 0 at 0."""
    return cast("Any", torch.linalg).vector_norm(z, dim=-1, keepdim=True)  # torch has no types for it


def unit(z: Tensor) -> Tensor:
    """z / |z|: on the sphere; 0, with gradient 0, for 0."""
    length = norms(z)
    return torch.where(length > SMALLEST_NORM, z / length.clamp(SMALLEST_NORM), torch.zeros_like(z))


def soft_unit(z: Tensor) -> Tensor:
    """z / (1 + |z|): z itself while short ('I do not know'), on the sphere if long; no pole at 0, gradient up to 1."""
    return z / (1 + norms(z))


def with_target_prototypes(z: Tensor, target: Tensor, projection: Projection) -> tuple[Tensor, Tensor, Tensor]:
    """z, one row per example and in float32 for half types, the prototypes of its targets, and which are not -100."""
    classes, kept = checked_classes(z, target, LossOptions(projection.num_classes))
    wide = widened(z).reshape(-1, projection.dim)
    return wide, projection.rows(classes.flatten(), wide), kept.flatten()


def target_cosines(z: Tensor, target: Tensor, projection: Projection) -> tuple[Tensor, Tensor, Tensor]:
    """Unit z, its cosine with the prototype of its target, and which targets are not -100."""
    wide, own, kept = with_target_prototypes(z, target, projection)
    on_sphere = unit(wide)
    return on_sphere, (on_sphere * own).sum(dim=-1), kept


def mean_of_kept(losses: Tensor, kept: Tensor) -> Tensor:
    """The mean over the examples that count; no number where none does."""
    return torch.where(kept, losses, 0).sum() / kept.sum()
