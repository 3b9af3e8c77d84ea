"""Residual networks for small images.

The networks are those of K. He, X. Zhang, S. Ren, J. Sun, Deep residual learning for image recognition, CVPR 2016, with
the usual changes for images of 32 x 32 pixels: they begin with a 3 x 3 convolution and have no pooling before the
blocks.
"""

from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

from protosphere.backbones.registry import Shape, backbone

WIDTHS = (64, 64, 128, 256, 512)
"""Numbers of channels of the first convolution and of the four stages."""


class Block(nn.Module):
    """Residual block, which adds the output of two 3 x 3 convolutions with batch normalization to a shortcut.

    The shortcut is the input. If the block changes the number of channels or the resolution, the shortcut is a 1 x 1
    convolution of the input instead.

    Args:
        inputs: Number of input channels.
        outputs: Number of output channels.
        stride: Stride of the first convolution and of the 1 x 1 convolution.
    """

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = _convolution(inputs, outputs, stride)
        self.second = _convolution(outputs, outputs, 1)
        same = stride == 1 and inputs == outputs
        if same:
            self.shortcut = nn.Identity()
        else:
            self.shortcut = _convolution(inputs, outputs, stride, kernel=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the sum of the convolutions' output and the shortcut, after a ReLU.

        Args:
            x: Batch of images with `inputs` channels, of shape (batch, channels, height, width).
        """
        hidden = functional.relu(self.first(x))
        return functional.relu(self.second(hidden) + self.shortcut(x))


def resnet(
    input_shape: Shape, dim: int, depths: tuple[int, int, int, int]
) -> nn.Module:
    """Return a residual network of four stages.

    The first stage keeps the resolution, and each later stage halves it.

    Args:
        input_shape: Channels, height and width of an image.
        dim: Number of outputs.
        depths: Number of blocks of each stage.

    Returns:
        The network.
    """
    stages: list[nn.Module] = [_convolution(input_shape[0], WIDTHS[0], 1), nn.ReLU()]
    stride = 1
    for (inputs, outputs), depth in zip(pairwise(WIDTHS), depths, strict=True):
        stages.append(Block(inputs, outputs, stride))
        stages.extend(Block(outputs, outputs, 1) for _ in range(depth - 1))
        stride = 2
    return nn.Sequential(
        *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(WIDTHS[-1], dim)
    )


@backbone(summary="eighteen layers, for small images")
def resnet18(input_shape: Shape, dim: int) -> nn.Module:
    """Return a residual network of 18 layers, with two blocks per stage.

    Args:
        input_shape: Channels, height and width of an image.
        dim: Number of outputs.
    """
    return resnet(input_shape, dim, (2, 2, 2, 2))


@backbone(summary="thirty-four layers, for small images")
def resnet34(input_shape: Shape, dim: int) -> nn.Module:
    """Return a residual network of 34 layers, which Lindström et al. (2024) use for CIFAR-100.

    Args:
        input_shape: Channels, height and width of an image.
        dim: Number of outputs.

    >>> sum(p.numel() for p in resnet34((3, 32, 32), 63).parameters())
    21309311
    """
    return resnet(input_shape, dim, (3, 4, 6, 3))


def _convolution(inputs: int, outputs: int, stride: int, kernel: int = 3) -> nn.Module:
    convolution = nn.Conv2d(
        inputs, outputs, kernel, stride=stride, padding=kernel // 2, bias=False
    )
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs))
