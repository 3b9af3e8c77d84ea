"""The registry of networks, which has one frozen record per network.

A network is registered by decorating the function that builds it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from protosphere.registry import Registry

Shape = tuple[int, ...]
"""Type of an input's shape: (channels, height, width) of an image, or (number of features,)."""

Build = Callable[..., nn.Module]


@dataclass(frozen=True)
class Backbone:
    """A registered network.

    Attributes:
        name: Name of the network in configs.
        build: Function (input_shape, dim, *widths) that returns the network with `dim` outputs. The input shape is
            (channels, height, width) for images, or (number of features,) for feature vectors.
        images: True if the network takes only images; False if it also takes feature vectors.
        widths: Largest number of widths that may follow the name in parentheses. For example, mlp(512, 256) has two
            widths, the numbers of units of its two hidden layers. If it is 0, the name takes no widths.
        summary: Description of the network in one line.

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
    """Return a decorator that registers a function as a network, under the name of the function.

    Args:
        summary: Description of the network in one line.
        images: True if the network takes only images; False if it also takes feature vectors.
        widths: Largest number of widths that may follow the name in parentheses. For example, mlp(512, 256) has two
            widths, the numbers of units of its two hidden layers. If it is 0, the name takes no widths.

    Returns:
        The decorator. It returns the function unchanged, and raises an InvalidArgumentError if the name is registered
        already.
    """
    return BACKBONES.register(
        lambda build: Backbone(build.__name__, build, images, widths, summary)
    )
