"""PyTorch modules for fixed class prototypes: a classification head, losses, and modules that compute dot products.

>>> import torch
>>> from protosphere.nn import PrototypeHead
>>> head = PrototypeHead(1000, dim=512)
>>> head(torch.randn(4, 512)).shape
torch.Size([4, 1000])

scikit-learn is imported only when `PrototypeClassifier` is used.
"""

from typing import TYPE_CHECKING, Any

from protosphere.extras import require
from protosphere.nn import functional
from protosphere.nn.attach import attach, prototype_head
from protosphere.nn.growth import first_classes, nested_certificates
from protosphere.nn.head import PrototypeHead
from protosphere.nn.losses import (
    LOSSES,
    AdditiveAngularMargin,
    AdditiveCosineMargin,
    CosineCrossEntropy,
    DotRegression,
    LogitCrossEntropy,
    Loss,
    SquaredCosineDistance,
)
from protosphere.nn.nearest import Nearest
from protosphere.nn.ood import threshold_at_tpr
from protosphere.nn.part_decisions import PartDecisions
from protosphere.nn.presets import PRESETS, Preset
from protosphere.nn.self_supervised import (
    DINOHead,
    DINOLoss,
    LearnedPrototypes,
    NoiseAsTargets,
    PrototypeUse,
    SwappedPrediction,
    prototypes_in_use,
    sinkhorn,
)
from protosphere.nn.sharded import ShardedProjection, gathered

if TYPE_CHECKING:
    from protosphere.nn.estimator import PrototypeClassifier

__all__ = [
    "LOSSES",
    "PRESETS",
    "AdditiveAngularMargin",
    "AdditiveCosineMargin",
    "CosineCrossEntropy",
    "DINOHead",
    "DINOLoss",
    "DotRegression",
    "LearnedPrototypes",
    "LogitCrossEntropy",
    "Loss",
    "Nearest",
    "NoiseAsTargets",
    "PartDecisions",
    "Preset",
    "PrototypeClassifier",
    "PrototypeHead",
    "PrototypeUse",
    "ShardedProjection",
    "SquaredCosineDistance",
    "SwappedPrediction",
    "attach",
    "first_classes",
    "functional",
    "gathered",
    "nested_certificates",
    "prototype_head",
    "prototypes_in_use",
    "sinkhorn",
    "threshold_at_tpr",
]


def __getattr__(name: str) -> Any:
    if name == "PrototypeClassifier":
        require("sklearn")  # if it is missing, the error says what to install
        from protosphere.nn.estimator import PrototypeClassifier

        return PrototypeClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
