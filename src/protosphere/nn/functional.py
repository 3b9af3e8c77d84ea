"""Functions that heads and losses use: norms, normalizations of z, cosines with target prototypes, cross-entropy.

A vector z is the input of a head. The target prototype of an example is the prototype of its target class. An example
with the target -100 is ignored: it does not contribute to a loss.
"""

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
"""Norm |z| up to which autograd treats the direction z / |z| as a constant.

The derivative of the direction has norm 1 / |z|, which would be at least 1e12 for such vectors.
"""


def norms(z: Tensor) -> Tensor:
    """Return the Euclidean norm of each vector.

    The gradient of the norm at z = 0 is 0.

    Args:
        z: (..., n) vectors.

    Returns:
        (..., 1) norms.

    Example:
        >>> import torch
        >>> from protosphere.nn.functional import norms
        >>> norms(torch.tensor([[3.0, 4.0]])).tolist()
        [[5.0]]
    """
    # torch has no types for torch.linalg.
    return cast("Any", torch.linalg).vector_norm(z, dim=-1, keepdim=True)


def unit(z: Tensor) -> Tensor:
    """Return the unit vectors z / |z|, computed without overflow or underflow.

    For z = 0, the result is 0. If |z| is at most 1e-12, the gradient of the result is 0.

    Args:
        z: (..., n) vectors.

    Returns:
        (..., n) unit vectors, or zeros for z = 0.

    Example:
        >>> import torch
        >>> from protosphere.nn.functional import unit
        >>> [round(x, 2) for x in unit(torch.tensor([3.0, 4.0])).tolist()]
        [0.6, 0.8]
    """
    # Squares of z may overflow or vanish; squares of z / largest do neither.
    largest = _largest_entries(z)
    scaled = z / torch.where(largest > 0, largest, 1)
    length = norms(scaled)
    direction = scaled / length.clamp(1)
    return torch.where(
        length.detach() * largest > SMALLEST_NORM, direction, direction.detach()
    )


def soft_unit(z: Tensor) -> Tensor:
    """Return z / (1 + |z|), which is close to z if |z| is small, and close to the unit sphere if |z| is large.

    Unlike z / |z|, the result is a differentiable function of z everywhere, and its derivative has norm at most 1.

    Args:
        z: (..., n) vectors.

    Returns:
        (..., n) vectors of norm below 1.

    Example:
        >>> import torch
        >>> from protosphere.nn.functional import soft_unit
        >>> soft_unit(torch.tensor([3.0, 0.0])).tolist()
        [0.75, 0.0]
    """
    largest = _largest_entries(z).clamp(1)  # avoids overflow, as in `unit`
    scaled = z / largest
    return scaled / (1 / largest + norms(scaled))


def _largest_entries(z: Tensor) -> Tensor:
    # For 256 x 65 vectors on a CPU, torch's vector_norm of infinite order takes ten times as long.
    return z.detach().abs().amax(dim=-1, keepdim=True)


def with_target_prototypes(
    z: Tensor, target: Tensor, projection: Projection
) -> tuple[Tensor, Tensor, Tensor]:
    """Return z as a B x n matrix, the prototypes of the targets, and a mask of the examples that are not ignored.

    Args:
        z: (..., n) vectors; B is the product of the leading dimensions.
        target: (...) class indices. Examples with target -100 are ignored.
        projection: Module that holds the prototypes.

    Returns:
        A tuple of three tensors: the B x n vectors (in float32 if z is in float16 or bfloat16), the B x n prototypes of
        their targets, and B booleans that are False for ignored examples. For an ignored example, the prototype is that
        of class 0.

    Raises:
        InvalidArgumentError: If a target is neither a class index nor -100.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.functional import with_target_prototypes
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
    """Return z / |z|, its cosines with the prototypes of the targets, and a mask of the examples that are not ignored.

    Args:
        z: (..., n) vectors; B is the product of the leading dimensions.
        target: (...) class indices. Examples with target -100 are ignored.
        projection: Module that holds the prototypes.

    Returns:
        A tuple of three tensors: the B x n unit vectors, the B cosines of these vectors with the prototypes of their
        targets, and B booleans that are False for ignored examples. The cosine of an ignored example has no meaning.

    Raises:
        InvalidArgumentError: If a target is neither a class index nor -100.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.functional import target_cosines
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))
        >>> target_cosines(torch.tensor([[5.0, 0.0]]), torch.tensor([1]), projection)[1].tolist()
        [-1.0]
    """
    wide, own, kept = with_target_prototypes(z, target, projection)
    on_sphere = unit(wide)
    return on_sphere, (on_sphere * own).sum(dim=-1), kept


def mean_of_kept(losses: Tensor, kept: Tensor) -> Tensor:
    """Return the mean loss over the examples that are not ignored.

    Args:
        losses: B losses.
        kept: B booleans, False for ignored examples.

    Returns:
        The mean, a scalar. It is nan if all examples are ignored.

    Example:
        >>> import torch
        >>> from protosphere.nn.functional import mean_of_kept
        >>> float(mean_of_kept(torch.tensor([1.0, 9.0]), torch.tensor([True, False])))
        1.0
    """
    return torch.where(kept, losses, 0).sum() / kept.sum()
