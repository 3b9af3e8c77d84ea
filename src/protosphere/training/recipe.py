"""One run, said completely: the data, the prototypes, the network, and how it is trained. Its digest is its name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from protosphere.assignment import MAPPINGS
from protosphere.constructions import describe
from protosphere.data.augmentation_settings import Augmentation
from protosphere.errors import InvalidArgumentError, as_choice, as_flag, as_integer, as_positive, brief

SCHEDULES = ("cosine", "constant")
OBJECTIVES = ("lindstrom", "mettes")
PRECISIONS = ("32-true", "bf16-mixed", "64-true")
"""Those without a loss scaler, whose state would have to be kept for a run to go on with the same bits."""

DIGEST_LETTERS = 20


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the weights in the end.

    Attributes:
        dataset: a name that `load_dataset` knows, or the path of an .npz file.
        scheme, dim, mapping: of the prototypes.
        seed: of the prototypes, the split, the first weights, the order and the augmentation.
        backbone: a name that `build_backbone` knows.
        objective: `lindstrom`, cross-entropy on z.c; or `mettes`, (1 - cos)^2.
        epochs, batch_size: how long, and how many images at a time over all devices.
        lr, momentum, weight_decay, schedule: of stochastic gradient descent.
        validation: the share of the training images kept apart to watch, a random one for each seed.
        augment_validation: whether those are augmented too, as the authors' programs do.
        pad, flip, rotation_degrees: augmentation of the training images.
        precision: `32-true`, `bf16-mixed` or `64-true`.
        threads: of the processor, 0 for as many as torch likes; the last bit of a sum depends on it.
        train_images: how many training images to use, 0 for all.
        options: the scheme's own.
    """

    dataset: str = "digits"
    scheme: str = "one_hot"
    dim: int = 10
    mapping: str = "fixed"
    seed: int = 0
    backbone: str = "simard"
    objective: str = "lindstrom"
    epochs: int = 10
    batch_size: int = 512
    lr: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 5e-4
    schedule: str = "cosine"
    validation: float = 0.2
    augment_validation: bool = False
    pad: int = 0
    flip: bool = False
    rotation_degrees: float = 0.0
    precision: str = "32-true"
    threads: int = 0
    train_images: int = 0
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        _check_numbers(self)
        as_choice("mapping", self.mapping, MAPPINGS)
        as_choice("schedule", self.schedule, SCHEDULES)
        as_choice("objective", self.objective, OBJECTIVES)
        as_choice("precision", self.precision, PRECISIONS)
        describe(self.scheme).resolved(self.options)

    @property
    def augmentation(self) -> Augmentation:
        """What happens to training images."""
        return Augmentation(self.pad, self.flip, self.rotation_degrees)

    @property
    def digest(self) -> str:
        """Twenty hexadecimal letters over the settings that are not at their defaults; a new setting alters none."""
        defaults = Recipe()
        told = {name: value for name, value in self.record().items() if value != getattr(defaults, name)}
        text = json.dumps(told, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LETTERS]

    def record(self) -> dict[str, Any]:
        """The settings as plain JSON."""
        return asdict(self)

    def changed(self, **settings: Any) -> Recipe:
        """The same recipe with other settings; one that does not exist is refused with the nearest that does."""
        return recipe_from(self.record() | settings)


def recipe_from(settings: Mapping[str, Any]) -> Recipe:
    """A recipe of these settings over the defaults."""
    known = {each.name: each.type for each in fields(Recipe)}
    for name, value in settings.items():
        if name not in known:
            raise InvalidArgumentError(f"a recipe has no setting {brief(name)}; its settings are: {', '.join(known)}")
        if known[name] == "str" and not isinstance(value, str):
            raise InvalidArgumentError(f"'{name}' must be a text, got {brief(value)}")
    floats: dict[str, Any] = {
        name: float(value) for name, value in settings.items() if known[name] == "float" and type(value) is int
    }
    return Recipe(**(dict(settings) | floats))


def with_dim(recipe: Recipe, dim: int) -> Recipe:
    """The same recipe in another dimension."""
    return replace(recipe, dim=dim)


def _check_numbers(recipe: Recipe) -> None:
    for name, minimum in (("dim", 1), ("seed", 0), ("epochs", 0), ("batch_size", 1), ("pad", 0), ("threads", 0)):
        as_integer(name, getattr(recipe, name), minimum=minimum)
    as_integer("train_images", recipe.train_images, minimum=0)
    as_positive("lr", recipe.lr)
    for name, limit in (("momentum", 1.0), ("validation", 1.0), ("weight_decay", None), ("rotation_degrees", 180.001)):
        _within(name, getattr(recipe, name), limit)
    for name in ("flip", "augment_validation"):
        as_flag(name, getattr(recipe, name))


def _within(name: str, value: object, limit: float | None) -> None:
    """Refuse what is no number of at least 0 and below `limit`."""
    ceiling = float("inf") if limit is None else limit
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < ceiling:
        bound = "" if limit is None else f" and below {limit:g}"
        raise InvalidArgumentError(f"'{name}' must be a number of at least 0{bound}, got {brief(value)}")
