"""The list of losses: one frozen record each, made by decorating its module."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from torch import Tensor, nn

from protosphere.registry import Registry

Module = TypeVar("Module", bound=type[nn.Module])


@dataclass(frozen=True)
class Loss:
    """One loss.

    Attributes:
        name: what presets and configs call it.
        function: (z, target, projection, options...) to the mean over the batch.
        module: made from a head or a code and options, then called with (z, target).
        summary, reference: in a line, and where it comes from.
    """

    name: str
    function: Callable[..., Tensor]
    module: Callable[..., nn.Module]
    summary: str
    reference: str

    @property
    def options(self) -> tuple[str, ...]:
        """What the module takes beside a head or a code: `scale`, `margin`, `radius`.

        >>> LOSSES["additive_cosine_margin"].options
        ('margin', 'scale')
        """
        return tuple(inspect.signature(self.module).parameters)[1:]


LOSSES: Registry[Loss] = Registry("loss")
"""Every loss by its name."""


def loss(
    name: str, function: Callable[..., Tensor], *, summary: str, reference: str
) -> Callable[[Module], Module]:
    """Register the decorated module, a shell over `function`, under `name`; a second one of a name is an error."""
    return LOSSES.register(
        lambda module: Loss(name, function, module, summary, reference)
    )
