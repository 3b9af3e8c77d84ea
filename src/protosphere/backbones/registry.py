"""The registry of networks: one frozen record per network, created by decorating the function that builds it."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from protosphere.registry import Registry

Shape = tuple[int, ...]
"""Type of an input's shape: channels, height and width of an image, or the number of features alone."""

Build = Callable[..., nn.Module]


@dataclass(frozen=True)
class Backbone:
    """A registered network.

    Attributes:
        name: Name in configs.
        build: Function (input_shape, dim, *widths) that returns the network with `dim` outputs.
        images: True if the network takes images only, False if the network takes feature vectors too.
        widths: Largest number of widths that may follow the name in parentheses, as in mlp(512, 256).
        summary: Description in one line.

    Example:
        >>> from protosphere.backbones import BACKBONES
        >>> BACKBONES["mlp"].images
        False
    """

    name: str
    build: Build
    images: bool
    widths: int
    summary: str


BACKBONES: Registry[Backbone] = Registry("backbone")
"""All networks by name."""


def backbone(
    *, summary: str, images: bool = True, widths: int = 0
) -> Callable[[Build], Build]:
    """Return a decorator that registers a function as a network; a second network of the same name is an error.

    Args:
        summary: Description in one line.
        images: True if the network takes images only, False if the network takes feature vectors too.
        widths: Largest number of widths that may follow the name in parentheses.

    Returns:
        The decorator, which returns the function unchanged.
    """
    return BACKBONES.register(
        lambda build: Backbone(build.__name__, build, images, widths, summary)
    )
