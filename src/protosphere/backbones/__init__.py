"""Backbone networks: networks of this package by name, and any other network by its dotted import name."""

from protosphere.backbones import (
    dense as dense,
)  # importing each module registers its networks
from protosphere.backbones import resnet as resnet
from protosphere.backbones import simard as simard
from protosphere.backbones import small as small
from protosphere.backbones import strided as strided
from protosphere.backbones.building import build_backbone, imported, is_ours
from protosphere.backbones.registry import BACKBONES, Backbone

__all__ = ["BACKBONES", "Backbone", "build_backbone", "imported", "is_ours"]
