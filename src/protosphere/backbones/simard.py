"""The small convolutional network of Simard et al. for handwritten digits.

The network has two 5 x 5 convolutions of stride 2 with 5 and 50 channels, and 100 hidden units. P. Simard,
D. Steinkraus, J. Platt, Best practices for convolutional neural networks applied to visual document analysis, ICDAR
2003.
"""

from torch import nn

from protosphere.backbones.flatten import Flatten
from protosphere.backbones.registry import Shape, backbone
from protosphere.backbones.subpixel import HalvingConv2d

SMALLEST_UNPADDED = 13
"""Smallest side in pixels of an image that is not padded. Without padding, the output of smaller images is empty."""


@backbone(summary="two 5 x 5 convolutions of stride 2, 100 hidden")
def simard(input_shape: Shape, dim: int) -> nn.Module:
    """Return Simard's network: two 5 x 5 convolutions of stride 2, a layer of 100 hidden units, and an output layer.

    If a side of the image is shorter than 13 pixels, both convolutions pad their input by two pixels on each side.

    Args:
        input_shape: Channels, height and width of an image.
        dim: Number of outputs.

    >>> sum(p.numel() for p in simard((1, 28, 28), 10).parameters())
    87540
    """
    channels, height, width = input_shape
    padding = 0 if min(height, width) >= SMALLEST_UNPADDED else 2
    height = _output_side(_output_side(height, padding), padding)
    width = _output_side(_output_side(width, padding), padding)
    return nn.Sequential(
        nn.Conv2d(channels, 5, 5, stride=2, padding=padding),
        nn.ReLU(),
        nn.Conv2d(5, 50, 5, stride=2, padding=padding)
        if padding
        else HalvingConv2d(5, 50, 5),
        nn.ReLU(),
        Flatten(),
        nn.Linear(50 * height * width, 100),
        nn.ReLU(),
        nn.Linear(100, dim),
    )


def _output_side(size: int, padding: int) -> int:
    # the kernel has 5 pixels and stride 2
    return (size + 2 * padding - 5) // 2 + 1
