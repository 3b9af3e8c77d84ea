"""Networks before the head: our own by name, and any of the user's by its dotted name."""

from protosphere.backbones import dense, resnet, simard, small, strided  # each registers what it builds
from protosphere.backbones.building import build_backbone, imported, is_ours
from protosphere.backbones.registry import BACKBONES, Backbone

__all__ = [
    "BACKBONES",
    "Backbone",
    "build_backbone",
    "dense",
    "imported",
    "is_ours",
    "resnet",
    "simard",
    "small",
    "strided",
]
