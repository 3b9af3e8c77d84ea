"""Self-supervised learning with fixed or learned prototypes, by three methods: SwAV, DINO and noise as targets."""

from protosphere.nn.self_supervised.dino_head import DINOHead
from protosphere.nn.self_supervised.dino_loss import DINOLoss
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.nn.self_supervised.noise_as_targets import NoiseAsTargets
from protosphere.nn.self_supervised.prototype_use import PrototypeUse, prototypes_in_use
from protosphere.nn.self_supervised.sinkhorn import sinkhorn
from protosphere.nn.self_supervised.swapped_prediction import SwappedPrediction

__all__ = [
    "DINOHead",
    "DINOLoss",
    "LearnedPrototypes",
    "NoiseAsTargets",
    "PrototypeUse",
    "SwappedPrediction",
    "prototypes_in_use",
    "sinkhorn",
]
