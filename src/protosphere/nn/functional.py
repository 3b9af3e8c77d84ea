"""What a head computes, as functions: how z is brought near the sphere, the scale of its logits, its targets."""

from typing import Any, cast

import torch
from torch import Tensor

from protosphere.nn.projections import Projection
from protosphere.nn.streaming.cross_entropy import LossOptions, checked_classes
from protosphere.nn.streaming.log_sum_exp import widened

SMALLEST_NORM = 1e-12
"""Vectors no longer than this have a direction, and no gradient of it, which would be at least 1e12 long."""


def norms(z: Tensor, order: float = 2) -> Tensor:
    """|z| of each row, B x 1; gradient 0 at 0."""
    return cast("Any", torch.linalg).vector_norm(
        z, order, dim=-1, keepdim=True
    )  # torch has no types for it


def unit(z: Tensor) -> Tensor:
    """z / |z|: on the sphere, for every finite z; 0, with gradient 0, for 0."""
    largest = norms(
        z.detach(), torch.inf
    )  # squares of z may overflow or vanish; those of z / largest do neither
    scaled = z / torch.where(largest > 0, largest, 1)
    length = norms(scaled)
    direction = scaled / length.clamp(1)
    return torch.where(
        length.detach() * largest > SMALLEST_NORM, direction, direction.detach()
    )


def soft_unit(z: Tensor) -> Tensor:
    """z / (1 + |z|): z itself while short ('I do not know'), on the sphere if long; no pole at 0, gradient up to 1."""
    largest = norms(z.detach(), torch.inf).clamp(1)  # as in `unit`, where z is long
    scaled = z / largest
    return scaled / (1 / largest + norms(scaled))


def with_target_prototypes(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """z, one row per example and in float32 for half types, the prototypes of its targets, and which are not -100."""
    classes, kept = checked_classes(z, target, LossOptions(projection.num_classes))
    wide = widened(z).reshape(-1, projection.dim)
    return wide, projection.rows(classes.flatten(), wide), kept.flatten()


def target_cosines(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """Unit z, its cosine with the prototype of its target, and which targets are not -100."""
    wide, own, kept = with_target_prototypes(z, target, projection)
    on_sphere = unit(wide)
    return on_sphere, (on_sphere * own).sum(dim=-1), kept


def mean_of_kept(losses: Tensor, kept: Tensor) -> Tensor:
    """The mean over the examples that count; no number where none does."""
    return torch.where(kept, losses, 0).sum() / kept.sum()
