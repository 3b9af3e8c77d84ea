"""A flatten layer for channels-last tensors that does not slow down the layers before it."""

from typing import Any, cast

import torch
from torch import Tensor, nn


class Flatten(nn.Flatten):
    """`nn.Flatten` that returns its gradient in the channels-last memory layout of its input.

    The gradient of `nn.Flatten` is channels-first. With it, the gradient of a ReLU with channels-last output takes 25
    times as long in bfloat16 on a CPU, which is a tenth of a training step of Simard's network.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the images as rows."""
        if input.requires_grad and not input.is_contiguous():
            cast("Any", input).register_hook(_channels_last)
        return super().forward(input)


def _channels_last(gradient: Tensor) -> Tensor:
    return gradient.contiguous(memory_format=torch.channels_last)
