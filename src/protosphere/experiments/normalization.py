"""What networks are given: pixels of mean 0 and deviation 1 by channel, features centered and of one scale.

Features keep their relative sizes, for a network made some large because they matter: all of them are divided by one
number, the root mean square of their deviations.
"""

import torch
from torch import Tensor, nn

from protosphere.data.dataset import Step

MOST_PIXELS = 1 << 24
"""Of the training images that the mean of their pixels is taken over."""

SMALLEST_DEVIATION = 1e-6
ROWS_AT_ONCE = 1 << 12


class Normalize(nn.Module):
    """(x - mean) / deviation, in the numbers that x is kept as: one of each per channel, or per feature."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, mean: Tensor, deviation: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)

    def forward(self, inputs: Tensor) -> Tensor:
        """The inputs in single precision."""
        return (inputs.float() - self.mean).div_(self.deviation)

    def levels(self, channels: int) -> Tensor:
        """What each of the 256 bytes becomes in each channel of an image: channels x 256."""
        every = torch.arange(256, dtype=torch.uint8, device=self.mean.device).view(
            1, 1, 256
        )
        return self(every.expand(channels, 1, 256)).view(channels, 256)


def normalization(training: Tensor, step: Step | None) -> Normalize:
    """What these training inputs ask for; `step` is what a byte of each feature counts."""
    return _of_features(training, step) if training.ndim == 2 else _of_images(training)


def _of_images(images: Tensor) -> Normalize:
    pixels = images[:: images.numel() // MOST_PIXELS + 1].double()
    mean, deviation = (
        statistic(pixels, (0, 2, 3)).float() for statistic in (torch.mean, torch.std)
    )
    return Normalize(
        mean.view(-1, 1, 1), deviation.clamp(min=SMALLEST_DEVIATION).view(-1, 1, 1)
    )


def _of_features(features: Tensor, step: Step | None) -> Normalize:
    blocks = [
        features[start : start + ROWS_AT_ONCE]
        for start in range(0, len(features), ROWS_AT_ONCE)
    ]
    mean = torch.stack([rows.double().sum(0) for rows in blocks]).sum(0) / len(features)
    squares = torch.stack(
        [(rows.double() - mean).square().sum(0) for rows in blocks]
    ).sum(0) / len(features)
    if step is None:
        counts = torch.ones_like(mean)
    else:
        counts = torch.tensor(step, dtype=torch.float64)
    scale = (squares * counts.square()).mean().sqrt().clamp(min=SMALLEST_DEVIATION)
    return Normalize(mean.float(), (scale / counts).float())
