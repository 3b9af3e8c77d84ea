"""A fast network for CIFAR-100 on one CPU core: two strided convolutions and a hidden layer.

The network is similar to the backbone `simard`, but has more channels and batch normalization. With one-hot prototypes,
it reaches 47% test accuracy in fifteen epochs of training, at 9,000 images per second on one core. The hidden layer,
which sees all positions of the image, matters most for the accuracy. Three 3 x 3 convolutions followed by 256 hidden
units reached 52%. The same three convolutions followed by a 1 x 1 convolution with 256 channels and average pooling
reached 44%.
"""

from torch import nn

from protosphere.backbones.flatten import Flatten
from protosphere.backbones.registry import Shape, backbone

CONVOLUTIONS = ((48, 6, 4), (96, 3, 2))
"""Number of channels, kernel size and stride of each convolution. For tiny images, the kernels are smaller."""

HIDDEN = 256


@backbone(summary="two strided convolutions, 256 hidden: CIFAR in minutes")
def strided(input_shape: Shape, dim: int) -> nn.Module:
    """Return a network of a 6 x 6 convolution of stride 4, a 3 x 3 convolution of stride 2, and two linear layers.

    Batch normalization and ReLU follow each layer but the last. For tiny images, the kernels are smaller, so that they
    fit into the padded images.

    Args:
        input_shape: Channels, height and width of an image.
        dim: Number of outputs of the network.

    >>> sum(p.numel() for p in strided((3, 32, 32), 100).parameters())
    466372
    """
    maps, height, width = input_shape
    layers: list[nn.Module] = []
    for outputs, largest, stride in CONVOLUTIONS:
        kernel = min(largest, height + 2, width + 2)
        convolution = nn.Conv2d(maps, outputs, kernel, stride, padding=1, bias=False)
        layers += [convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
        maps = outputs
        height = (height + 2 - kernel) // stride + 1
        width = (width + 2 - kernel) // stride + 1
    layers += [
        Flatten(),
        nn.Linear(maps * height * width, HIDDEN, bias=False),
        nn.BatchNorm1d(HIDDEN),
        nn.ReLU(inplace=True),
        nn.Linear(HIDDEN, dim),
    ]
    return nn.Sequential(*layers)
