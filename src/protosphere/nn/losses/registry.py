"""The registry of losses: one frozen record per loss, created by decorating the loss's module class."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from torch import Tensor, nn

from protosphere.registry import Registry

Module = TypeVar("Module", bound=type[nn.Module])


@dataclass(frozen=True)
class Loss:
    """A registered loss.

    Attributes:
        name: Name in presets and configs.
        function: Function of (z, target, projection, options...) that returns the mean over the batch.
        module: Module class: created from a head or a code and options, then called with (z, target).
        summary: Description in one line.
        reference: Paper that the loss comes from.

    Example:
        >>> LOSSES["additive_cosine_margin"].options
        ('margin', 'scale')
    """

    name: str
    function: Callable[..., Tensor]
    module: Callable[..., nn.Module]
    summary: str
    reference: str

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword options of the module class, such as `scale`, `margin` or `radius`.

        Example:
            >>> LOSSES["additive_cosine_margin"].options
            ('margin', 'scale')
        """
        return tuple(inspect.signature(self.module).parameters)[1:]


LOSSES: Registry[Loss] = Registry("loss")
"""All losses by name."""


def loss(
    name: str, function: Callable[..., Tensor], *, summary: str, reference: str
) -> Callable[[Module], Module]:
    """Return a decorator that registers a loss: the decorated module class and its `function`.

    Args:
        name: Name in presets and configs; a second loss of the same name is an error.
        function: Function of (z, target, projection, options...).
        summary: Description in one line.
        reference: Paper that the loss comes from.
    """
    return LOSSES.register(
        lambda module: Loss(name, function, module, summary, reference)
    )
