"""What a loss is: a record in the list of losses, made by decorating the module over its function."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from torch import Tensor, nn

from protosphere.code.spherical_code import SphericalCode
from protosphere.nn.presets import perfect_scale
from protosphere.nn.projections import projection_for
from protosphere.nn.scale import Scale
from protosphere.registry import Registry

if TYPE_CHECKING:
    from protosphere.nn.head import PrototypeHead

Module = TypeVar("Module", bound=type[nn.Module])

HeadOrCode: TypeAlias = "PrototypeHead | SphericalCode"
"""What a loss is made from."""


@dataclass(frozen=True)
class Loss:
    """One loss.

    Attributes:
        name: what presets and recipes call it.
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


def loss(name: str, function: Callable[..., Tensor], *, summary: str, reference: str) -> Callable[[Module], Module]:
    """Register the decorated module, a shell over `function`, under `name`; a second one of a name is an error."""

    def register(module: Any) -> Any:
        LOSSES.add(name, Loss(name, function, module, summary, reference))
        return module

    return register


class PrototypeLoss(nn.Module):
    """A loss on the prototypes of a code, or of a head, which then lends its projection."""

    def __init__(self, head_or_code: HeadOrCode) -> None:
        super().__init__()
        if isinstance(head_or_code, SphericalCode):
            self.code, self.projection = head_or_code, projection_for(head_or_code)
        else:
            self.code, self.projection = head_or_code.code, head_or_code.projection


def cosine_scale(head_or_code: HeadOrCode, setting: float | str) -> Scale:
    """The scale of cosines that the setting asks for; 'auto' is the confident one, or what the head learns."""
    if isinstance(head_or_code, SphericalCode):
        return Scale(setting, perfect_scale(head_or_code))
    if setting == "auto" and head_or_code.scaling.shift is not None:
        return head_or_code.scaling
    return cosine_scale(head_or_code.code, setting)
