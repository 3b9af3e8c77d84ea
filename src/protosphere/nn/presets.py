"""Presets of heads. A preset says how a head computes logits from vectors z, and which loss trains it."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from protosphere.errors import as_choice
from protosphere.nn.functional import soft_unit, unit
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import confident_scale

LOGIT = 10**0.5
"""Factor in the smallest scale of the preset 'soft_cap' for K prototypes in R^n: LOGIT * sqrt(min(n, K - 1)).

If there are many classes, a smaller scale would limit the logits too much.
"""

FEW_CLASSES = 30
"""Largest number of classes for which the default preset is 'protosphere' (docs/studies/presets.md).

For more classes, the default preset is 'soft_cap'.
"""


@dataclass(frozen=True)
class Preset:
    """Rule by which a head computes logits from z, and the loss that trains the head.

    Let c_k be the prototype of class k. The logit of class k is the dot product of c_k with scale * embed(z), or with
    scale * embed(slope * z / scale) if `slope` is not None. A head without `preset=` uses 'protosphere' for at most 30
    classes (including reserved ones) and 'soft_cap' for more. Train 'soft_cap' with momentum or with a learning rate of
    at least 0.1, because smaller learning rates without momentum train slowly (docs/studies/presets.md).

    Attributes:
        name: Name of the preset in `PrototypeHead(preset=...)`.
        embed: Function from (..., n) vectors to (..., n) vectors that normalizes z, or returns z unchanged.
        scale: Function from a code to the scale of a head with `scale='auto'`.
        slope: Number by which the head multiplies z / scale before `embed`. For small z, the logits are then about
            slope times the dot products z . c_k, whatever the scale is. None if `embed` is applied to z itself.
        loss: Name of the loss that `PrototypeHead.loss` computes, such as 'cross_entropy' or 'squared_cosine'.
        summary: Description in one line.
        reference: Paper or page that the preset comes from.

    Example:
        >>> from protosphere.nn import PRESETS
        >>> PRESETS["soft_cap"].loss
        'cross_entropy'
    """

    name: str
    embed: Callable[[Tensor], Tensor]
    scale: Callable[[SphericalCode], float]
    slope: float | None
    loss: str
    summary: str
    reference: str


def as_it_is(z: Tensor) -> Tensor:
    """Return z unchanged."""
    return z


def _unit_scale(code: SphericalCode) -> float:
    del code
    return 1.0


def _kasarla_scale(code: SphericalCode) -> float:
    del code
    # the scale with which Kasarla et al. (2022) train residual networks
    return 0.1


def perfect_scale(code: SphericalCode) -> float:
    """Return the scale at which a vector that equals a prototype gets a probability of at least 0.99 for its class.

    The probabilities are the softmax of the scale times the cosines with all prototypes.

    Args:
        code: The prototypes.
    """
    return confident_scale(code.num_classes, float(code.max_cosine))


def soft_cap_scale(code: SphericalCode) -> float:
    """Return the scale of the preset 'soft_cap', for K prototypes in R^n.

    The scale is the larger of sqrt(10 * min(n, K - 1)) and twice the scale at which a vector that equals a prototype
    gets a probability of at least 0.99 for its class. The scale is an upper bound on the norm of the vectors that
    `PrototypeHead.embed` returns.

    Args:
        code: The prototypes.
    """
    # This formula was chosen by the measurements in docs/studies/presets.md.
    # For a simplex, the vector of logits has about the norm of the scaled z. A hundred logits of size 2 have a larger
    # norm than a single logit that is sufficient for a high probability.
    return max(
        2 * perfect_scale(code), LOGIT * min(code.dim, code.num_classes - 1) ** 0.5
    )


_ALL = (
    Preset(
        "soft_cap",
        soft_unit,
        soft_cap_scale,
        2.0,
        "cross_entropy",
        "the embedding is about 2 z for small z, and its norm is below the scale, which is at least twice that of "
        "'protosphere'; cross-entropy",
        "chosen by the tables of docs/studies/presets.md",
    ),
    Preset(
        "protosphere",
        soft_unit,
        perfect_scale,
        None,
        "cross_entropy",
        "the embedding is z / (1 + |z|) times the scale at which a vector equal to its prototype has at least "
        "probability 0.99; cross-entropy",
        "chosen by the table of docs/studies/presets.md",
    ),
    Preset(
        "lindstrom",
        as_it_is,
        _unit_scale,
        None,
        "cross_entropy",
        "the logits are the dot products of z with the prototypes, and z is not normalized; cross-entropy",
        "Lindström et al. (2024)",
    ),
    Preset(
        "kasarla",
        as_it_is,
        _kasarla_scale,
        None,
        "cross_entropy",
        "the logits are the dot products of z with the prototypes times the scale, 0.1 by default, and z is not "
        "normalized; cross-entropy",
        "Kasarla et al. (2022)",
    ),
    Preset(
        "mettes",
        unit,
        _unit_scale,
        None,
        "squared_cosine",
        "the logits are cosines, and the loss is (1 - cosine with the prototype of the target)^2",
        "Mettes et al. (2019)",
    ),
)

PRESETS = {preset.name: preset for preset in _ALL}
"""Dictionary of all presets by name."""


def preset_named(name: str) -> Preset:
    """Return the preset with the given name.

    Args:
        name: 'soft_cap', 'protosphere', 'lindstrom', 'kasarla' or 'mettes'.

    Raises:
        InvalidArgumentError: If no preset has this name.

    Example:
        >>> from protosphere.nn.presets import preset_named
        >>> preset_named("mettes").loss
        'squared_cosine'
    """
    return PRESETS[as_choice("preset", name, PRESETS)]


def default_preset(num_classes: int) -> Preset:
    """Return the default preset for a number of classes: 'protosphere' for at most 30 classes, 'soft_cap' for more.

    Args:
        num_classes: Number of all classes, including reserved ones.

    Example:
        >>> from protosphere.nn.presets import default_preset
        >>> default_preset(10).name, default_preset(100).name
        ('protosphere', 'soft_cap')
    """
    return PRESETS["protosphere" if num_classes <= FEW_CLASSES else "soft_cap"]
