"""Networks that turn images into vectors, to be compared with prototypes."""

from protosphere.backbones.registry import BACKBONES, build_backbone

__all__ = ["BACKBONES", "build_backbone"]
