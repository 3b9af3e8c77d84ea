"""The registry of losses.

A loss consists of a class derived from nn.Module and a function that computes the same loss. The decorator `loss` adds
the two to the registry, as a `Loss`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from torch import Tensor, nn

from protosphere.registry import Registry

Module = TypeVar("Module", bound=type[nn.Module])


@dataclass(frozen=True)
class Loss:
    """Record of a registered loss.

    Attributes:
        name: Name of the loss in presets and configs.
        function: Function that is called with (z, target, projection, options...) and returns the mean loss over the
            batch.
        module: Class derived from nn.Module. An instance is created with (head_or_code, options...), and it is called
            with (z, target).
        summary: Description in one line.
        reference: Paper that the loss comes from.

    Example:
        >>> from protosphere.nn import LOSSES
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
        """Names of the keyword options with which the nn.Module of the loss is created, such as `scale` or `margin`.

        Example:
            >>> from protosphere.nn import LOSSES
            >>> LOSSES["additive_cosine_margin"].options
            ('margin', 'scale')
        """
        return tuple(inspect.signature(self.module).parameters)[1:]


LOSSES: Registry[Loss] = Registry("loss")
"""Registry of all losses by name."""


def loss(
    name: str, function: Callable[..., Tensor], *, summary: str, reference: str
) -> Callable[[Module], Module]:
    """Return a decorator that registers a loss: the decorated class, derived from nn.Module, together with `function`.

    Args:
        name: Name of the loss in presets and configs. A name cannot be registered twice.
        function: Function that computes the same loss. It is called with (z, target, projection, options...) and
            returns the mean loss over the batch.
        summary: Description in one line.
        reference: Paper that the loss comes from.
    """
    return LOSSES.register(
        lambda module: Loss(name, function, module, summary, reference)
    )
