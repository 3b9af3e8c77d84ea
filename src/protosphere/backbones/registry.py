"""The list of networks: one frozen record each, made by decorating the function that builds it."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from protosphere.registry import Registry

Shape = tuple[int, ...]
"""Channels, height and width of an image, or the number of features."""

Build = Callable[..., nn.Module]


@dataclass(frozen=True)
class Backbone:
    """One network.

    Attributes:
        name: what configs call it.
        build: (input shape, dim, widths...) to the network with `dim` outputs.
        images: whether it takes images alone; else vectors of features too.
        widths: how many numbers may follow its name in brackets, like mlp(512, 256).
        summary: in a line.
    """

    name: str
    build: Build
    images: bool
    widths: int
    summary: str


BACKBONES: Registry[Backbone] = Registry("backbone")
"""Every network by its name."""


def backbone(
    *, summary: str, images: bool = True, widths: int = 0
) -> Callable[[Build], Build]:
    """Register the decorated function under its own name; a second one of a name is an error."""
    return BACKBONES.register(
        lambda build: Backbone(build.__name__, build, images, widths, summary)
    )
