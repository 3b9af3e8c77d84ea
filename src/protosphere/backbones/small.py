"""A small network for training on CIFAR-100 with two CPU cores: four convolutions and 0.3 million parameters."""

from torch import nn

from protosphere.backbones.registry import Shape, backbone

LAYERS = ((32, 2), (64, 2), (128, 2), (160, 1))
"""Number of channels and stride of each convolution."""


@backbone(summary="four 3 x 3 convolutions, for CIFAR on two cores")
def small(input_shape: Shape, dim: int) -> nn.Module:
    """Return four 3 x 3 convolutions with batch normalization, global average pooling and a linear map.

    Args:
        input_shape: Channels, height and width of an image.
        dim: Number of outputs of the network.

    >>> sum(p.numel() for p in small((3, 32, 32), 100).parameters())
    294212
    """
    layers: list[nn.Module] = []
    maps = input_shape[0]
    for outputs, stride in LAYERS:
        convolution = nn.Conv2d(maps, outputs, 3, stride=stride, padding=1, bias=False)
        layers += [convolution, nn.BatchNorm2d(outputs), nn.ReLU()]
        maps = outputs
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(maps, dim)
    )
