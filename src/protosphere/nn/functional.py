"""What a head computes, as functions: how z is brought near the sphere, the scale of its logits, and the losses.

Where a loss takes `projection`, that is what gives dot products with the prototypes (`projections.projection_for`): it
never holds B x K numbers. Losses that only pull, `squared_cosine_distance` and `dot_regression`, need the prototypes of
the targets alone. All of them mean over the batch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor
from torch.nn.functional import softplus

from protosphere.errors import InvalidArgumentError
from protosphere.nn.cross_entropy import LossOptions, checked_classes
from protosphere.nn.streaming import widened

if TYPE_CHECKING:
    from protosphere.nn.projections import Projection

SMALLEST_NORM = 1e-12
"""Vectors no longer than this have no direction."""

CERTAIN = -1e-7
"""The log-probability of the target is held this far below 0, where the others' share would be lost to rounding."""


def norms(z: Tensor) -> Tensor:
    """|z| of each row, B x 1; gradient 0 at 0."""
    return cast("Any", torch.linalg).vector_norm(z, dim=-1, keepdim=True)  # torch has no types for it


def unit(z: Tensor) -> Tensor:
    """z / |z|: on the sphere; 0, with gradient 0, for 0."""
    length = norms(z)
    return torch.where(length > SMALLEST_NORM, z / length.clamp(SMALLEST_NORM), torch.zeros_like(z))


def soft_unit(z: Tensor) -> Tensor:
    """z / (1 + |z|): inside the ball, on the sphere for long z, z itself for short ones.

    Unlike `unit` it has no pole at 0, its gradient is at most 1, and a network may answer 'I do not know' by a short z.
    """
    return z / (1 + norms(z))


def confident_scale(num_classes: int, max_cosine: float, probability: float = 0.99) -> float:
    """The scale s with which softmax(s cosines) gives at least `probability` to the prototype z lies on.

    s = ln((K - 1) p / (1 - p)) / (1 - mu), mu the largest cosine of two prototypes.

    >>> round(confident_scale(10, 0.0), 2)
    6.79
    """
    if max_cosine >= 1:
        raise InvalidArgumentError(f"'max_cosine' must be below 1, got {max_cosine}: two prototypes coincide")
    odds = max(1, num_classes - 1) * probability / (1 - probability)
    return math.log(odds) / (1 - max_cosine)


def cosine_cross_entropy(z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor) -> Tensor:
    """Cross-entropy on the scaled cosines of z with every prototype."""
    return projection.cross_entropy(scale * unit(widened(z)), target)


def squared_cosine_distance(z: Tensor, own: Tensor) -> Tensor:
    """(1 - cos(z, c_y))^2, `own` the prototypes c_y of the targets: Mettes, van der Pol & Snoek (2019)."""
    return (1 - _cosines(z, own)).square().mean()


def dot_regression(z: Tensor, own: Tensor, radius: float = 1.0) -> Tensor:
    """(z c_y - radius)^2 / (2 radius), z as it is: Yang et al. (2022). For unit z half the squared cosine distance."""
    dots = (widened(z) * widened(own)).sum(dim=-1)
    return (dots - radius).square().mean() / (2 * radius)


def additive_cosine_margin(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor, margin: float
) -> Tensor:
    """Cross-entropy where the target's cosine counts `margin` less: Wang et al. (2018), CosFace."""
    on_sphere, own = _cosines_with_own(z, target, projection)
    return _replaced(on_sphere, own, own - margin, projection, scale)


def additive_angular_margin(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor, margin: float
) -> Tensor:
    """Cross-entropy where the target's angle counts `margin` radians more: Deng et al. (2019), ArcFace.

    cos(angle + margin) by the addition theorem, without an arccosine; where angle + margin is above pi it goes on
    falling, as -2 - cos(angle + margin).
    """
    on_sphere, own = _cosines_with_own(z, target, projection)
    return _replaced(on_sphere, own, cosine_after(own, margin), projection, scale)


def cosine_after(cosine: Tensor, margin: float) -> Tensor:
    """cos(angle + margin) of the angle that has this cosine, continued beyond pi so that it never rises."""
    within = cosine.clamp(-1.0, 1.0)
    sine = (1 - within.square()).clamp(SMALLEST_NORM).sqrt()
    turned = within * math.cos(margin) - sine * math.sin(margin)
    return torch.where(within > -math.cos(margin), turned, -2 - turned)


def with_own(z: Tensor, target: Tensor, projection: Projection) -> tuple[Tensor, Tensor]:
    """z, in float32 for half types, and the prototypes of its targets; without examples whose target is -100."""
    classes, kept = checked_classes(z, target, LossOptions(projection.num_classes))
    wide = widened(z)[kept]
    return wide, projection.prototypes(classes[kept], wide)


def _cosines_with_own(z: Tensor, target: Tensor, projection: Projection) -> tuple[Tensor, Tensor]:
    """Unit z, and its cosine with the prototype of its target."""
    wide, own = with_own(z, target, projection)
    return unit(wide), _cosines(wide, own)


def _replaced(on_sphere: Tensor, own: Tensor, harder: Tensor, projection: Projection, scale: float | Tensor) -> Tensor:
    """Cross-entropy with the target's cosine replaced: from the log-sum-exp of all the others."""
    everyone = projection.log_sum_exp(scale * on_sphere)
    others = everyone + torch.log(-torch.expm1((scale * own - everyone).clamp(max=CERTAIN)))
    return softplus(others - scale * harder).mean()


def _cosines(z: Tensor, own: Tensor) -> Tensor:
    return (unit(widened(z)) * widened(own)).sum(dim=-1)
