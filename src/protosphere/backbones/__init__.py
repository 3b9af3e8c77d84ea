"""Networks before the head: our own by name, and any of the user's by its dotted name."""

from protosphere.backbones import dense as dense  # each of these registers what it builds
from protosphere.backbones import resnet as resnet
from protosphere.backbones import simard as simard
from protosphere.backbones import small as small
from protosphere.backbones import strided as strided
from protosphere.backbones.building import build_backbone as build_backbone
from protosphere.backbones.building import imported as imported
from protosphere.backbones.building import is_ours as is_ours
from protosphere.backbones.registry import BACKBONES as BACKBONES
from protosphere.backbones.registry import Backbone as Backbone
