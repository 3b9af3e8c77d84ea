"""Functions that heads and losses use: norms, normalizations of z, and cosines with the prototypes of targets."""

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
"""Vectors up to this norm get no gradient from their direction z / |z|, because its norm would be at least 1e12."""


def norms(z: Tensor, order: float = 2) -> Tensor:
    """Return the norm of each vector; the gradient of the norm at 0 is 0.

    Args:
        z: (..., n) vectors.
        order: Order of the norm.

    Returns:
        (..., 1) norms.

    Example:
        >>> norms(torch.tensor([[3.0, 4.0]])).tolist()
        [[5.0]]
    """
    return cast("Any", torch.linalg).vector_norm(
        z, order, dim=-1, keepdim=True
    )  # torch has no types for it


def unit(z: Tensor) -> Tensor:
    """Return z / |z|, without overflow or underflow; for z = 0 the result and its gradient are 0.

    Args:
        z: (..., n) vectors.

    Returns:
        Vectors of norm 1, or 0, of the same shape.

    Example:
        >>> [round(x, 2) for x in unit(torch.tensor([3.0, 4.0])).tolist()]
        [0.6, 0.8]
    """
    largest = norms(
        z.detach(), torch.inf
    )  # squares of z may overflow or vanish; squares of z / largest do neither
    scaled = z / torch.where(largest > 0, largest, 1)
    length = norms(scaled)
    direction = scaled / length.clamp(1)
    return torch.where(
        length.detach() * largest > SMALLEST_NORM, direction, direction.detach()
    )


def soft_unit(z: Tensor) -> Tensor:
    """Return z / (1 + |z|): close to z for short z, close to the unit sphere for long z.

    It has no pole at 0, and its gradient is at most 1.

    Args:
        z: (..., n) vectors.

    Returns:
        Vectors of norm below 1, of the same shape.

    Example:
        >>> soft_unit(torch.tensor([3.0, 0.0])).tolist()
        [0.75, 0.0]
    """
    largest = norms(z.detach(), torch.inf).clamp(1)  # as in `unit`, where z is long
    scaled = z / largest
    return scaled / (1 / largest + norms(scaled))


def with_target_prototypes(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """Return z as rows, the prototypes of its targets, and a mask of the examples that are not ignored.

    Args:
        z: (..., n) vectors.
        target: (...) classes; examples with -100 are ignored.
        projection: The prototypes.

    Returns:
        B x n vectors, where B is the product of the leading dimensions (float32 if z is in half precision); B x n
        prototypes; B booleans, False for ignored examples.

    Raises:
        InvalidArgumentError: If the targets are not classes.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))
        >>> rows, prototypes, kept = with_target_prototypes(torch.ones(1, 2), torch.tensor([3]), projection)
        >>> prototypes.tolist(), kept.tolist()
        ([[0.0, -1.0]], [True])
    """
    classes, kept = checked_classes(z, target, projection.num_classes)
    wide = widened(z).reshape(-1, projection.dim)
    return wide, projection.rows(classes.flatten(), wide), kept.flatten()


def target_cosines(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """Return z normalized, its cosines with the prototypes of its targets, and a mask of non-ignored examples.

    Args:
        z: (..., n) vectors.
        target: (...) classes; examples with -100 are ignored.
        projection: The prototypes.

    Returns:
        B x n unit vectors; B cosines; B booleans, False for ignored examples.

    Raises:
        InvalidArgumentError: If the targets are not classes.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))
        >>> target_cosines(torch.tensor([[5.0, 0.0]]), torch.tensor([1]), projection)[1].tolist()
        [-1.0]
    """
    wide, own, kept = with_target_prototypes(z, target, projection)
    on_sphere = unit(wide)
    return on_sphere, (on_sphere * own).sum(dim=-1), kept


def mean_of_kept(losses: Tensor, kept: Tensor) -> Tensor:
    """Return the mean loss over the examples that are not ignored; nan if all examples are ignored.

    Args:
        losses: B losses.
        kept: Mask of the examples that are not ignored.

    Returns:
        The mean.

    Example:
        >>> float(mean_of_kept(torch.tensor([1.0, 9.0]), torch.tensor([True, False])))
        1.0
    """
    return torch.where(kept, losses, 0).sum() / kept.sum()
