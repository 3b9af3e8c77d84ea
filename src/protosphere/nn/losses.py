"""Losses as modules: thin shells over the functions of the same name in `functional`.

Each takes a head or a code once, and then (z, target), z what the head would get. None holds B x K numbers.
"""

from __future__ import annotations

import math

from torch import Tensor, nn

from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError, as_positive
from protosphere.nn import functional
from protosphere.nn.head import PrototypeHead
from protosphere.nn.projections import Projection, projection_for
from protosphere.nn.scale import Scale


class _PrototypeLoss(nn.Module):
    """What the losses share: the code, and its projection."""

    def __init__(self, head_or_code: PrototypeHead | SphericalCode) -> None:
        super().__init__()
        of_head = isinstance(head_or_code, PrototypeHead)
        self.code = head_or_code.code if of_head else head_or_code
        self.projection: Projection = head_or_code.projection if of_head else projection_for(self.code)

    def _scale(self, setting: float | str) -> Scale:
        return Scale(setting, functional.confident_scale(self.code.num_classes, float(self.code.max_cosine)))


class CosineCrossEntropy(_PrototypeLoss):
    """Cross-entropy on scaled cosines."""

    def __init__(self, head_or_code: PrototypeHead | SphericalCode, scale: float | str = "auto") -> None:
        super().__init__(head_or_code)
        self.scaling = self._scale(scale)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return functional.cosine_cross_entropy(z, target, self.projection, self.scaling.value)


class SquaredCosineDistance(_PrototypeLoss):
    """(1 - cosine with the target's prototype)^2: only pulls, at the same cost for any number of classes."""

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return functional.squared_cosine_distance(*functional.with_own(z, target, self.projection))


class DotRegression(_PrototypeLoss):
    """(z c_y - radius)^2 / (2 radius): only pulls; z is not normalised."""

    def __init__(self, head_or_code: PrototypeHead | SphericalCode, radius: float = 1.0) -> None:
        super().__init__(head_or_code)
        self.radius = as_positive("radius", radius)

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return functional.dot_regression(*functional.with_own(z, target, self.projection), self.radius)


class AdditiveCosineMargin(CosineCrossEntropy):
    """Cross-entropy with the target's cosine lowered by a margin, which must be below 1 - max cosine of the code."""

    def __init__(
        self, head_or_code: PrototypeHead | SphericalCode, margin: float = 0.2, scale: float | str = "auto"
    ) -> None:
        super().__init__(head_or_code, scale)
        self.margin = _limited(margin, 1 - float(self.code.max_cosine), "1 - max cosine")

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return functional.additive_cosine_margin(z, target, self.projection, self.scaling.value, self.margin)


class AdditiveAngularMargin(CosineCrossEntropy):
    """Cross-entropy with the target's angle raised by a margin in radians, below the code's smallest angle."""

    def __init__(
        self, head_or_code: PrototypeHead | SphericalCode, margin: float = 0.2, scale: float | str = "auto"
    ) -> None:
        super().__init__(head_or_code, scale)
        self.margin = _limited(margin, math.radians(self.code.min_angle_degrees), "the smallest angle, in radians,")

    def forward(self, z: Tensor, target: Tensor) -> Tensor:
        """The mean over the batch."""
        return functional.additive_angular_margin(z, target, self.projection, self.scaling.value, self.margin)


def _limited(margin: float, limit: float, what: str) -> float:
    """The margin, if a z on its prototype can still satisfy it against the nearest other one."""
    if as_positive("margin", margin) < limit:
        return float(margin)
    raise InvalidArgumentError(f"'margin' must be below {limit:.6g}, {what} of the code's prototypes, got {margin}")
