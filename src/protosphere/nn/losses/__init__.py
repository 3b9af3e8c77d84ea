"""Losses on fixed prototypes, one a file: a function of (z, target, projection, ...), and a thin module over it.

Each module takes a head or a code once, and then (z, target), z what the head would get. All of them mean over the
batch, leave out examples whose target is -100, and none holds B x K numbers. `LOSSES` has them by name.
"""

from protosphere.nn.losses.additive_angular_margin import (
    AdditiveAngularMargin,
    additive_angular_margin,
)
from protosphere.nn.losses.additive_cosine_margin import (
    AdditiveCosineMargin,
    additive_cosine_margin,
)
from protosphere.nn.losses.cosine_cross_entropy import (
    CosineCrossEntropy,
    cosine_cross_entropy,
)
from protosphere.nn.losses.dot_regression import DotRegression, dot_regression
from protosphere.nn.losses.logit_cross_entropy import (
    LogitCrossEntropy,
    logit_cross_entropy,
)
from protosphere.nn.losses.registry import LOSSES, Loss
from protosphere.nn.losses.squared_cosine import (
    SquaredCosineDistance,
    squared_cosine_distance,
)

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
