"""The functions of a head: cross-entropy, normalizations of z, and cosines with the prototypes of targets."""

from typing import Any, cast

import torch
from torch import Tensor

from protosphere.nn.linear_cross_entropy import (
    linear_cross_entropy as linear_cross_entropy,
)
from protosphere.nn.projections import Projection
from protosphere.nn.streaming.cross_entropy import checked_classes
from protosphere.nn.vectors import widened

SMALLEST_NORM = 1e-12
"""Vectors no longer than this have a direction, and no gradient of it, which would be at least 1e12 long."""


def norms(z: Tensor, order: float = 2) -> Tensor:
    """Return the norm of each vector, with gradient 0 at 0.

    Args:
        z: (..., n) vectors.
        order: Order of the norm.

    Returns:
        (..., 1) norms.
    """
    return cast("Any", torch.linalg).vector_norm(
        z, order, dim=-1, keepdim=True
    )  # torch has no types for it


def unit(z: Tensor) -> Tensor:
    """Return z / |z|: on the sphere for every finite z; 0, with gradient 0, for 0.

    Args:
        z: (..., n) vectors.
    """
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
    """Return z / (1 + |z|): near z while z is short, near the sphere if it is long.

    It has no pole at 0, and its gradient is at most 1.

    Args:
        z: (..., n) vectors.
    """
    largest = norms(z.detach(), torch.inf).clamp(1)  # as in `unit`, where z is long
    scaled = z / largest
    return scaled / (1 / largest + norms(scaled))


def with_target_prototypes(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """Return z, the prototypes of its targets, and which examples count.

    Args:
        z: (..., n) vectors.
        target: (...) classes; -100 does not count.
        projection: The prototypes.

    Returns:
        B x n vectors, one row per example and float32 for half types; B x n prototypes; B booleans.

    Raises:
        InvalidArgumentError: If the targets are not classes.
    """
    classes, kept = checked_classes(z, target, projection.num_classes)
    wide = widened(z).reshape(-1, projection.dim)
    return wide, projection.rows(classes.flatten(), wide), kept.flatten()


def target_cosines(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """Return unit vectors, their cosines with the prototypes of their targets, and which examples count.

    Args:
        z: (..., n) vectors.
        target: (...) classes; -100 does not count.
        projection: The prototypes.

    Returns:
        B x n unit vectors; B cosines; B booleans.

    Raises:
        InvalidArgumentError: If the targets are not classes.
    """
    wide, own, kept = with_target_prototypes(z, target, projection)
    on_sphere = unit(wide)
    return on_sphere, (on_sphere * own).sum(dim=-1), kept


def mean_of_kept(losses: Tensor, kept: Tensor) -> Tensor:
    """Return the mean over the examples that count; nan if none does.

    Args:
        losses: B losses.
        kept: Which of them count.
    """
    return torch.where(kept, losses, 0).sum() / kept.sum()
