"""What the modules of all losses share: the code, its projection, and where they have one a scale."""

from typing import TYPE_CHECKING, TypeAlias

from torch import nn

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn.projections import projection_for
from protosphere.nn.scale import Scale
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import confident_scale

if TYPE_CHECKING:
    from protosphere.nn.head import PrototypeHead

HeadOrCode: TypeAlias = "PrototypeHead | SphericalCode"
"""What a loss is made from."""


class PrototypeLoss(nn.Module):
    """A loss on the prototypes of a code, or of a head, which then lends its projection."""

    def __init__(self, head_or_code: HeadOrCode) -> None:
        super().__init__()
        if isinstance(head_or_code, SphericalCode):
            self.code = head_or_code
            self.projection = projection_for(head_or_code)
        elif not (
            hasattr(head_or_code, "code") and hasattr(head_or_code, "projection")
        ):
            raise InvalidArgumentError(
                f"a loss is made from a PrototypeHead or a code, got {brief(head_or_code)}"
            )
        else:
            self.code = head_or_code.code
            self.projection = head_or_code.projection


def cosine_scale(head_or_code: HeadOrCode, setting: float | str) -> Scale:
    """The scale of cosines that the setting asks for; 'auto' is the confident one, or what the head learns."""
    if isinstance(head_or_code, SphericalCode):
        return Scale(
            setting,
            confident_scale(head_or_code.num_classes, float(head_or_code.max_cosine)),
        )
    if setting == "auto" and head_or_code.scaling.shift is not None:
        return head_or_code.scaling
    return cosine_scale(head_or_code.code, setting)
