"""Flattening maps that are kept channels-last, without slowing what comes before."""

from typing import Any, cast

import torch
from torch import Tensor, nn


class Flatten(nn.Flatten):
    """`nn.Flatten` that hands its gradient on in the layout of its input.

    The plain one hands it on channels-first, and in that layout the gradient of a rectifier whose output is kept
    channels-last takes 25 times as long in bfloat16 on a processor: a tenth of the step of Simard's network.
    """

    def forward(self, input: Tensor) -> Tensor:
        """One row an image."""
        if input.requires_grad and not input.is_contiguous():
            cast("Any", input).register_hook(_channels_last)
        return super().forward(input)


def _channels_last(gradient: Tensor) -> Tensor:
    return gradient.contiguous(memory_format=torch.channels_last)
