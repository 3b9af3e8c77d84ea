"""Ways to train against fixed prototypes, each a frozen record named after where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from protosphere.code.evenness import confident_scale
from protosphere.errors import as_choice
from protosphere.nn.functional import soft_unit, unit


@dataclass(frozen=True)
class Preset:
    """One way: logits are scale * embed(z) c_k, or with a slope scale * embed(slope z / scale) c_k.

    Attributes:
        name: what `PrototypeHead(preset=...)` calls it.
        embed: z to what is compared with the prototypes.
        scale: (number of classes, max cosine) to the scale that 'auto' means.
        slope: of the logits at z = 0, whatever the scale is; None where the scale is that.
        loss: the name of what `head.loss` is, one of `losses.LOSSES`.
        summary, reference: in a line, and where it comes from.
    """

    name: str
    embed: Callable[[Tensor], Tensor]
    scale: Callable[[int, float], float]
    slope: float | None
    loss: str
    summary: str
    reference: str


def as_it_is(z: Tensor) -> Tensor:
    """z."""
    return z


def _one(num_classes: int, max_cosine: float) -> float:
    del num_classes, max_cosine
    return 1.0


def _small_radius(num_classes: int, max_cosine: float) -> float:
    """The authors' radius for residual networks."""
    del num_classes, max_cosine
    return 0.1


def soft_cap_scale(num_classes: int, max_cosine: float) -> float:
    """The longest that logits get, twice `confident_scale`: a perfect z has a loss of about 1e-4 (docs/presets.md)."""
    return 2 * confident_scale(num_classes, max_cosine)


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
        confident_scale,
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
