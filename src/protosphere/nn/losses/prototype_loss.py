"""The base class of all loss modules, and the function that makes the scale of their cosines."""

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
"""Types from which a loss module can be created."""


class PrototypeLoss(nn.Module):
    """Base class of loss modules that are created from a head or a code.

    A loss created from a head shares the head's projection. A loss created from a code builds a projection of its own.

    Args:
        head_or_code: A `PrototypeHead` or a `SphericalCode`.

    Attributes:
        code: Code of the prototypes.
        projection: Module that computes dot products with the prototypes.

    Raises:
        InvalidArgumentError: If `head_or_code` is neither a head nor a code.
    """

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
    """Return the module that multiplies the cosines of a loss by a scale.

    Args:
        head_or_code: Head or code of the loss.
        setting: 'auto', 'learn' or a number. 'auto' means the head's scale if the head learns its scale. Otherwise,
            even if the head has a fixed scale, 'auto' means the scale at which a vector equal to the prototype of its
            class has at least probability 0.99. 'learn' makes a parameter that starts at this scale.
    """
    if isinstance(head_or_code, SphericalCode):
        return Scale(
            setting,
            confident_scale(head_or_code.num_classes, float(head_or_code.max_cosine)),
        )
    if setting == "auto" and head_or_code.scaling.shift is not None:
        return head_or_code.scaling
    return cosine_scale(head_or_code.code, setting)
