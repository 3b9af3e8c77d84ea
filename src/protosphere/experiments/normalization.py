"""Normalize inputs by the statistics of the training inputs.

Each channel of images gets mean 0 and standard deviation 1. Each feature gets mean 0, but all features are divided by
the same number: the root mean square of their standard deviations. So the features of a pretrained network keep their
relative sizes.
"""

import torch
from torch import Tensor, nn

from protosphere.data.dataset import Step

MOST_PIXELS = 1 << 24
"""Approximate largest number of pixels from which the mean and the deviation are computed.

For larger datasets, they are computed from a subset of the images.
"""

SMALLEST_DEVIATION = 1e-6
ROWS_AT_ONCE = 1 << 12


class Normalize(nn.Module):
    """Module that computes (x - mean) / deviation.

    Args:
        mean: Numbers that are subtracted, one per channel of images or one per feature.
        deviation: Numbers to divide by, in the shape of `mean`.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, mean: Tensor, deviation: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return (inputs - mean) / deviation in float32.

        Args:
            inputs: B x C x H x W images or B x D features.
        """
        return (inputs.float() - self.mean).div_(self.deviation)

    def levels(self, channels: int) -> Tensor:
        """Return a table of normalized pixels: entry (c, b) is the normalized value of the byte b in channel c.

        Args:
            channels: Number of channels, which is the number of rows. The table has 256 columns.
        """
        every = torch.arange(256, dtype=torch.uint8, device=self.mean.device).view(
            1, 1, 256
        )
        return self(every.expand(channels, 1, 256)).view(channels, 256)


def normalization(training: Tensor, step: Step | None) -> Normalize:
    """Return the module that normalizes inputs by the mean and the deviation of the training inputs.

    Args:
        training: Training inputs: B x C x H x W images, or B x D features.
        step: For int8 features, D numbers: if the stored integer in column d increases by 1, the feature increases by
            step[d]. None for images and float features.
    """
    return _of_features(training, step) if training.ndim == 2 else _of_images(training)


def _of_images(images: Tensor) -> Normalize:
    pixels = images[:: images.numel() // MOST_PIXELS + 1].double()
    mean = torch.mean(pixels, (0, 2, 3)).float()
    deviation = torch.std(pixels, (0, 2, 3)).float()
    deviation = deviation.clamp(min=SMALLEST_DEVIATION)
    return Normalize(mean.view(-1, 1, 1), deviation.view(-1, 1, 1))


def _of_features(features: Tensor, step: Step | None) -> Normalize:
    blocks = [
        features[start : start + ROWS_AT_ONCE]
        for start in range(0, len(features), ROWS_AT_ONCE)
    ]
    count = len(features)
    sums = [rows.double().sum(0) for rows in blocks]
    mean = torch.stack(sums).sum(0) / count
    square_sums = [(rows.double() - mean).square().sum(0) for rows in blocks]
    squares = torch.stack(square_sums).sum(0) / count
    if step is None:
        counts = torch.ones_like(mean)
    else:
        counts = torch.tensor(step, dtype=torch.float64)
    scale = (squares * counts.square()).mean().sqrt().clamp(min=SMALLEST_DEVIATION)
    return Normalize(mean.float(), (scale / counts).float())
