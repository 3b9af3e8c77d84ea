"""The scale of a head's logits: fixed, or learned within bounds."""

import math
from contextlib import suppress

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_positive, brief

LEARNED_RANGE = 4.0
"""Largest factor between a learned scale and its initial value, in both directions.

Without this limit, training with learning rate 0.1 diverged.
"""


class Scale(nn.Module):
    """Module that multiplies its input by a scale. The scale is fixed or learned.

    A learned scale always remains between 1/4 of its initial value and 4 times its initial value.

    Args:
        setting: 'auto', 'learn' or a number. With 'auto', the scale is `automatic`. With 'learn', the scale is learned
            and starts at `automatic`. A number is the scale itself.
        automatic: Scale for 'auto', and initial scale for 'learn'.

    Attributes:
        setting: 'auto', 'learn' or the given number.
        start: The scale, or its initial value if the scale is learned.
        shift: Parameter x of a learned scale, which is `start` times 4^tanh(x). None if the scale is fixed.

    Raises:
        InvalidArgumentError: If `setting` is neither 'auto' nor 'learn' nor a number above 0.
    """

    def __init__(self, setting: float | str, automatic: float) -> None:
        super().__init__()
        self.setting = setting if setting in ("auto", "learn") else _number(setting)
        self.begin_at(automatic)
        # a vector of one entry, because FullyShardedDataParallel cannot shard scalars
        self.shift = nn.Parameter(torch.zeros(1)) if setting == "learn" else None

    def begin_at(self, automatic: float) -> None:
        """Replace the number `automatic`, which was given when this module was made.

        If `setting` is 'auto', the scale becomes the new number. If `setting` is 'learn', the initial scale becomes the
        new number, and the current scale changes by the same factor. If `setting` is a number, nothing changes.

        Args:
            automatic: The new number.
        """
        self.start = automatic if isinstance(self.setting, str) else self.setting

    def reset(self) -> None:
        """Reset a learned scale to its initial value. A fixed scale does not change."""
        if self.shift is not None:
            nn.init.zeros_(self.shift)

    @property
    def value(self) -> float | Tensor:
        """The current scale: a number if the scale is fixed, or a tensor with gradient if the scale is learned."""
        if self.shift is None:
            return self.start
        return self.start * torch.exp(
            math.log(LEARNED_RANGE) * torch.tanh(self.shift.reshape(()))
        )

    def forward(self, z: Tensor) -> Tensor:
        """Return z multiplied by the current scale.

        Args:
            z: Tensor of any shape.
        """
        return self.value * z

    def extra_repr(self) -> str:
        """Return the current scale as text for `print(model)`, followed by ", learned" if the scale is learned."""
        value = self.value
        if isinstance(value, Tensor):
            return f"{value.item():.4g}, learned"
        return f"{value:.4g}"


def _number(setting: object) -> float:
    with suppress(InvalidArgumentError):
        return as_positive("scale", setting)
    raise InvalidArgumentError(
        f"'scale' must be 'auto', 'learn' or a number above 0, got {brief(setting)}"
    )
