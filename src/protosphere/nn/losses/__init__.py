"""Losses on fixed prototypes. Each loss exists as a function and as an `nn.Module`.

The function is called with (z, target, projection, ...). Here z is the input of a head, and the projection holds the
prototypes of the classes. The module is created from a head or a code, and called with (z, target). All losses return
the mean over the batch and ignore examples with target -100. For large K, no loss materializes the B x K logits of B
examples and K classes. `LOSSES` maps the name of each loss to the loss.
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
