"""Ways to train against fixed prototypes, each a frozen record named after where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from protosphere.code.evenness import confident_scale
from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import as_choice
from protosphere.nn.functional import soft_unit, unit

LOGIT = 10**0.5
"""How large the logits of all classes may be at once before `soft_cap` shortens them noticeably."""


@dataclass(frozen=True)
class Preset:
    """One way: logits are scale * embed(z) c_k, or with a slope scale * embed(slope z / scale) c_k.

    Attributes:
        name: what `PrototypeHead(preset=...)` calls it.
        embed: z to what is compared with the prototypes.
        scale: of a code with that dimension and max cosine, the scale that 'auto' means.
        slope: of the logits at z = 0, whatever the scale is; None where the scale is that.
        loss: the name of what `head.loss` is, one of `losses.LOSSES`.
        summary, reference: in a line, and where it comes from.
    """

    name: str
    embed: Callable[[Tensor], Tensor]
    scale: Callable[[SphericalCode], float]
    slope: float | None
    loss: str
    summary: str
    reference: str


def as_it_is(z: Tensor) -> Tensor:
    """z."""
    return z


def _one(code: SphericalCode) -> float:
    del code
    return 1.0


def _small_radius(code: SphericalCode) -> float:
    """The authors' radius for residual networks."""
    del code
    return 0.1


def perfect_scale(code: SphericalCode) -> float:
    """The scale at which a z on its prototype has probability .99."""
    return confident_scale(code.num_classes, float(code.max_cosine))


def soft_cap_scale(code: SphericalCode) -> float:
    """The longest that logits get together: twice `perfect_scale`, or more where they are many (docs/presets.md)."""
    # those of a simplex are together as long as z: a hundred of wrong classes, 2 each, longer than a right one needs
    return max(2 * perfect_scale(code), LOGIT * min(code.dim, code.num_classes - 1) ** 0.5)


_ALL = (
    Preset(
        "soft_cap",
        soft_unit,
        soft_cap_scale,
        2.0,
        "cross_entropy",
        "2 z while z is short, never longer than twice the scale that gives a perfect z probability .99; cross-entropy",
        "chosen by the tables of docs/presets.md",
    ),
    Preset(
        "protosphere",
        soft_unit,
        perfect_scale,
        None,
        "cross_entropy",
        "z / (1 + |z|), scaled so that a perfect z has probability .99; cross-entropy",
        "chosen by the table of docs/presets.md",
    ),
    Preset(
        "lindstrom",
        as_it_is,
        _one,
        None,
        "cross_entropy",
        "z c, z not normalised; cross-entropy",
        "Lindström et al. (2024)",
    ),
    Preset(
        "kasarla",
        as_it_is,
        _small_radius,
        None,
        "cross_entropy",
        "z c times a radius, 0.1 unless `scale` says otherwise, z not normalised; cross-entropy",
        "Kasarla et al. (2022)",
    ),
    Preset(
        "mettes",
        unit,
        _one,
        None,
        "squared_cosine",
        "cosines; the loss is (1 - cosine of the target)^2",
        "Mettes et al. (2019)",
    ),
)

PRESETS = {preset.name: preset for preset in _ALL}
"""Every preset by its name; the first is the default."""


def preset_named(name: str | None) -> Preset:
    """The preset of this name, the default one without a name.

    >>> preset_named("mettes").loss
    'squared_cosine'
    """
    return _ALL[0] if name is None else PRESETS[as_choice("preset", name, PRESETS)]
