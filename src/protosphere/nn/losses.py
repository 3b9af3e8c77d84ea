"""Losses on fixed prototypes, each a function of (z, target, projection, ...) and a thin module over it.

Each module takes a head or a code once, and then (z, target), z what the head would get. All of them mean over the
batch, leave out examples whose target is -100, and none holds B x K numbers. `LOSSES` has them by name.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import softplus

from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError, as_positive
from protosphere.nn.functional import SMALLEST_NORM, mean_of_kept, target_cosines, unit, with_target_prototypes
from protosphere.nn.loss_registry import LOSSES, HeadOrCode, Loss, PrototypeLoss, cosine_scale, loss
from protosphere.nn.projections import Projection
from protosphere.nn.streaming import widened

__all__ = [
    "LOSSES",
    "AdditiveAngularMargin",
    "AdditiveCosineMargin",
    "CosineCrossEntropy",
    "DotRegression",
    "LogitCrossEntropy",
    "Loss",
    "SquaredCosineDistance",
    "additive_angular_margin",
    "additive_cosine_margin",
    "cosine_cross_entropy",
    "dot_regression",
    "logit_cross_entropy",
    "squared_cosine_distance",
]

CERTAIN = -1e-7
"""The log-probability of the target is held this far below 0, where the others' share would be lost to rounding."""


def additive_angular_margin(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor, margin: float
) -> Tensor:
    """Cross-entropy on scaled cosines where the target's angle counts `margin` radians more.

    cos(angle + margin) by the addition theorem, without an arccosine; where angle + margin is above pi it goes on
    falling, as -2 - cos(angle + margin).
    """
    return _harder_cross_entropy(z, target, projection, scale, lambda own: cosine_after(own, margin))


def cosine_after(cosine: Tensor, margin: float) -> Tensor:
    """cos(angle + margin) of the angle that has this cosine, continued beyond pi so that it never rises."""
    within = cosine.clamp(-1.0, 1.0)
    sine = (1 - within.square()).clamp(SMALLEST_NORM).sqrt()
    turned = within * math.cos(margin) - sine * math.sin(margin)
    return torch.where(within > -math.cos(margin), turned, -2 - turned)


@loss(
    "additive_angular_margin",
    additive_angular_margin,
    summary="cross-entropy on scaled cosines, the target's angle raised by a margin in radians",
    reference="Deng et al. (2019), ArcFace",
)
class AdditiveAngularMargin(PrototypeLoss):
    """Cross-entropy with the target's angle raised by a margin in radians, below the code's smallest angle."""

    def __init__(self, head_or_code: HeadOrCode, margin: float = 0.2, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)
        limit = math.radians(self.code.min_angle_degrees)
        self.margin = _limited_margin(margin, limit, "the smallest angle, in radians,")

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return additive_angular_margin(z, target, self.projection, self.scaling.value, self.margin)


def additive_cosine_margin(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor, margin: float
) -> Tensor:
    """Cross-entropy on scaled cosines where the target's counts `margin` less."""
    return _harder_cross_entropy(z, target, projection, scale, lambda own: own - margin)


@loss(
    "additive_cosine_margin",
    additive_cosine_margin,
    summary="cross-entropy on scaled cosines, the target's lowered by a margin",
    reference="Wang et al. (2018), CosFace",
)
class AdditiveCosineMargin(PrototypeLoss):
    """Cross-entropy with the target's cosine lowered by a margin, which must be below 1 - max cosine of the code."""

    def __init__(self, head_or_code: HeadOrCode, margin: float = 0.2, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)
        self.margin = _limited_margin(margin, 1 - float(self.code.max_cosine), "1 - max cosine")

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return additive_cosine_margin(z, target, self.projection, self.scaling.value, self.margin)


def cosine_cross_entropy(z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor) -> Tensor:
    """Cross-entropy on the scaled cosines of z with every prototype."""
    return projection.cross_entropy(scale * unit(widened(z)), target)


@loss(
    "cosine_cross_entropy",
    cosine_cross_entropy,
    summary="cross-entropy on scaled cosines",
    reference="Wang et al. (2017), NormFace",
)
class CosineCrossEntropy(PrototypeLoss):
    """Cross-entropy on scaled cosines."""

    def __init__(self, head_or_code: HeadOrCode, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = cosine_scale(head_or_code, scale)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return cosine_cross_entropy(z, target, self.projection, self.scaling.value)


def dot_regression(z: Tensor, target: Tensor, projection: Projection, radius: float = 1.0) -> Tensor:
    """(z c_y - radius)^2 / (2 radius), z as it is; for unit z and radius 1 half the squared cosine distance."""
    wide, own, kept = with_target_prototypes(z, target, projection)
    return mean_of_kept(((wide * own).sum(dim=-1) - radius).square(), kept) / (2 * radius)


@loss(
    "dot_regression",
    dot_regression,
    summary="(z c_y - radius)^2 / (2 radius), z not normalised; the other classes take no part",
    reference="Yang et al. (2022)",
)
class DotRegression(PrototypeLoss):
    """(z c_y - radius)^2 / (2 radius): only pulls; z is not normalised."""

    def __init__(self, head_or_code: HeadOrCode, radius: float = 1.0) -> None:
        super().__init__(head_or_code)
        self.radius = as_positive("radius", radius)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return dot_regression(z, target, self.projection, self.radius)


def logit_cross_entropy(z: Tensor, target: Tensor, projection: Projection) -> Tensor:
    """Cross-entropy on the dot products of z, as it is, with every prototype."""
    return projection.cross_entropy(z, target)


@loss(
    "cross_entropy",
    logit_cross_entropy,
    summary="cross-entropy on the head's logits, z embedded and scaled as its preset says",
    reference="the last layer of any classifier",
)
class LogitCrossEntropy(PrototypeLoss):
    """Cross-entropy on the logits of a head, streaming; of a code, on the plain dot products with its points."""

    def __init__(self, head_or_code: HeadOrCode) -> None:
        super().__init__(head_or_code)
        self.embed = None if isinstance(head_or_code, SphericalCode) else head_or_code.embed

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return logit_cross_entropy(z if self.embed is None else self.embed(z), target, self.projection)


def squared_cosine_distance(z: Tensor, target: Tensor, projection: Projection) -> Tensor:
    """(1 - cos(z, c_y))^2 with c_y the prototype of the target."""
    _, cosines, kept = target_cosines(z, target, projection)
    return mean_of_kept((1 - cosines).square(), kept)


@loss(
    "squared_cosine",
    squared_cosine_distance,
    summary="(1 - cosine with the target's prototype)^2; the other classes take no part",
    reference="Mettes, van der Pol & Snoek (2019)",
)
class SquaredCosineDistance(PrototypeLoss):
    """(1 - cosine with the target's prototype)^2: only pulls, at the same cost for any number of classes."""

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return squared_cosine_distance(z, target, self.projection)


def _harder_cross_entropy(
    z: Tensor, target: Tensor, projection: Projection, scale: float | Tensor, harder: Callable[[Tensor], Tensor]
) -> Tensor:
    """Cross-entropy on scaled cosines with the target's made harder: from the log-sum-exp of all the others."""
    on_sphere, own, kept = target_cosines(z, target, projection)
    everyone = projection.log_sum_exp(scale * on_sphere)
    others = everyone + torch.log(-torch.expm1((scale * own - everyone).clamp(max=CERTAIN)))
    return mean_of_kept(softplus(others - scale * harder(own)), kept)


def _limited_margin(margin: float, limit: float, what: str) -> float:
    """The margin, if a z on its prototype can still satisfy it against the nearest other one."""
    if as_positive("margin", margin) < limit:
        return float(margin)
    raise InvalidArgumentError(f"'margin' must be below {limit:.6g}, {what} of the code's prototypes, got {margin}")
