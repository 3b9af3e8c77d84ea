"""Networks of dense layers, for features of a pretrained network."""

from itertools import pairwise
from math import prod

from torch import nn

from protosphere.backbones.registry import Shape, backbone

USUAL_WIDTHS = (512,)


@backbone(summary="one linear map", images=False)
def linear(input_shape: Shape, dim: int) -> nn.Module:
    """Return a linear map with bias to `dim` outputs.

    Args:
        input_shape: For images, the channels, height and width. For feature vectors, only the number of features.
            Images are flattened.
        dim: Number of outputs.

    >>> sum(p.numel() for p in linear((512,), 64).parameters())
    32832
    """
    return _dense(input_shape, (), dim)


@backbone(
    summary="hidden layers of the widths in brackets, mlp(512) by default",
    images=False,
    widths=8,
)
def mlp(input_shape: Shape, dim: int, *widths: int) -> nn.Module:
    """Return hidden ReLU layers of the given widths, followed by a linear map.

    Args:
        input_shape: For images, the channels, height and width. For feature vectors, only the number of features.
            Images are flattened.
        dim: Number of outputs of the linear map.
        widths: Widths of the hidden layers. If no widths are given, there is one hidden layer of width 512.

    >>> sum(p.numel() for p in mlp((512,), 64, 100).parameters())
    57764
    """
    return _dense(input_shape, widths or USUAL_WIDTHS, dim)


def _dense(input_shape: Shape, widths: tuple[int, ...], dim: int) -> nn.Module:
    layers: list[nn.Module] = [] if len(input_shape) == 1 else [nn.Flatten()]
    for inputs, outputs in pairwise((prod(input_shape), *widths)):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear((prod(input_shape), *widths)[-1], dim))
