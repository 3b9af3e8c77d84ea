"""The base class of all loss modules, and the scale by which losses multiply cosines."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn.projections import Projection, projection_for
from protosphere.nn.scale import Scale
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import confident_scale

if TYPE_CHECKING:
    from protosphere.nn.head import PrototypeHead

HeadOrCode: TypeAlias = "PrototypeHead | SphericalCode"
"""Types from which a loss module can be created."""


class PrototypeLoss(nn.Module):
    """Base class of loss modules that are created from a head or a code.

    A loss that is created from a head always uses the current prototypes of the head. After `head.grow`, it uses the
    new prototypes. If the loss has a scale or a margin, these numbers stay the same. A loss that is created from a code
    builds a projection of its own, which is the module that computes dot products with the prototypes.

    Args:
        head_or_code: A `PrototypeHead` or a `SphericalCode`.

    Raises:
        InvalidArgumentError: If `head_or_code` is neither a head nor a code.
    """

    def __init__(self, head_or_code: HeadOrCode) -> None:
        super().__init__()
        self._code: SphericalCode | None = None
        self._heads: tuple[PrototypeHead, ...] = ()
        if isinstance(head_or_code, SphericalCode):
            self._code = head_or_code
            self._modules["projection"] = projection_for(head_or_code)
        elif not (
            hasattr(head_or_code, "code") and hasattr(head_or_code, "projection")
        ):
            raise InvalidArgumentError(
                f"a loss is made from a PrototypeHead or a code, got {brief(head_or_code)}"
            )
        else:
            # in a tuple, so that the head is no submodule: its state is saved with the model, not with the loss
            self._heads = (head_or_code,)
            self._follow_head()

    @property
    def code(self) -> SphericalCode:
        """The given code, or the current code of the given head."""
        for head in self._heads:
            return head.code
        return cast("SphericalCode", self._code)

    @property
    def projection(self) -> Projection:
        """Module that computes the dot products with the points of `code`."""
        for head in self._heads:
            return head.projection
        return cast("Projection", self._modules["projection"])

    def _follow_head(self) -> None:
        for head in self._heads:
            # calls such as `loss.to(device)` move submodules, too
            self._modules["projection"] = head.projection

    def _apply(
        self, fn: Callable[[Tensor], Tensor], recurse: bool = True
    ) -> "PrototypeLoss":
        self._follow_head()
        return cast("Any", super())._apply(fn, recurse)  # torch has no types for it


def cosine_scale(head_or_code: HeadOrCode, setting: float | str) -> Scale:
    """Return the module with the scale by which a loss multiplies cosines to give logits.

    Args:
        head_or_code: Head or code of the loss.
        setting: The scale: a number, 'auto' or 'learn'. Let s be the scale at which a vector equal to the prototype of
            its class has a probability of at least 0.99. 'auto' means the scale of the head if `head_or_code` is a head
            that learns its scale, and s in all other cases. 'learn' means a trained parameter with the initial value s.
    """
    if isinstance(head_or_code, SphericalCode):
        return Scale(
            setting,
            confident_scale(head_or_code.num_classes, float(head_or_code.max_cosine)),
        )
    if setting == "auto" and head_or_code.scaling.shift is not None:
        return head_or_code.scaling
    return cosine_scale(head_or_code.code, setting)
