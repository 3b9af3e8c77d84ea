"""One run, said completely: the data, the head, the network, and how it is trained. Its digest is its name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from protosphere.assignment import MAPPINGS
from protosphere.constructions import describe
from protosphere.data.augmentation_settings import Augmentation
from protosphere.errors import InvalidArgumentError, as_choice, as_text, brief
from protosphere.experiments.config_limits import check_numbers

HEADS = ("prototypes", "linear", "bottleneck")
LEARNED = {"linear": "learned layer", "bottleneck": "learned bottleneck"}
OPTIMIZERS = ("sgd", "adamw")
SCHEDULES = ("cosine", "constant")
PRECISIONS = ("32-true", "bf16-mixed", "16-mixed", "64-true")
"""Those without a loss scaler, whose state would have to be kept for a run to go on with the same bits."""

ALIGNED = ("align", "oppose")
"""Mappings by what is seen of the classes in training (`training.class_similarity`)."""

OF_PROTOTYPES = (
    *(
        "scheme",
        "mapping",
        "similarity",
        "rehearsal",
        "reassignment",
        "prototype_seed",
        "preset",
        "loss",
        "margin",
    ),
    *("scale", "options"),
)
"""Settings that a learned head has no use for."""

DIGEST_LETTERS = 20


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides the weights in the end.

    Attributes:
        dataset: a name that `load_dataset` knows, or the path of an .npz file.
        head: `prototypes`, fixed ones; `linear`, the network's last layer is learned and gives the K logits;
            `bottleneck`, a learned layer with bias from `dim` numbers to the K logits.
        scheme, dim, mapping: of the prototypes; `dim` is K for a linear head. The mappings `align` and `oppose` give
            similar classes near or distant prototypes.
        similarity: of classes, for those two mappings: `seen`, by their means over the training examples; `logits`, by
            the correlations of a learned layer's logits after an epoch; `learned`, by what a bottleneck learns for them
            in half of the epochs; the name of a tree that we ship; or a file with a vector per class
            (`assignment.similarity_from_table`).
        rehearsal: for so many epochs prototypes move with the network; then they are fixed, and training begins anew.
        reassignment: between so many of the first epochs classes get the prototypes that their examples come near.
        preset, scale: of the `PrototypeHead`.
        loss: one of `nn.LOSSES`, or `auto` for the preset's own; `margin` of those that have one.
        seed: of the prototypes, the split, the first weights, the order and the augmentation.
        prototype_seed, split_seed: of the prototypes and their mapping alone, and of the split; -1 for the one seed.
        backbone: a name that `build_backbone` knows.
        epochs, batch_size: how long, and how many examples at a time over all devices.
        optimizer: `sgd`, or `adamw`, whose first moment decays by `momentum`.
        lr, momentum, weight_decay, schedule: of the optimizer.
        warmup: epochs, or a part of one, over which the rate rises to its value.
        validation: the share of the training examples held out to watch, a random one for each seed.
        augment_validation: whether those are augmented too, as the authors' programs do.
        pad, flip, rotation_degrees: augmentation of the training images.
        precision: `32-true`, `bf16-mixed`, `16-mixed` (on GPUs; a run that goes on starts its loss scale anew) or
            `64-true`.
        threads: of the processor, 0 for as many as torch likes; the last bit of a sum depends on it.
        train_images: how many training examples to use, 0 for all.
        label_noise: the share of the training examples that get the label of another class, chosen at random; those
            held out keep their own.
        options: the scheme's own.
    """

    dataset: str = "digits"
    head: str = "prototypes"
    scheme: str = "one_hot"
    dim: int = 10
    mapping: str = "fixed"
    similarity: str = "seen"
    rehearsal: int = 0
    reassignment: int = 0
    preset: str = "lindstrom"
    loss: str = "auto"
    margin: float = 0.2
    scale: float | str = "auto"
    seed: int = 0
    prototype_seed: int = -1
    split_seed: int = -1
    backbone: str = "simard"
    epochs: int = 10
    batch_size: int = 512
    optimizer: str = "sgd"
    lr: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 5e-4
    schedule: str = "cosine"
    warmup: float = 0.0
    validation: float = 0.2
    augment_validation: bool = False
    pad: int = 0
    flip: bool = False
    rotation_degrees: float = 0.0
    precision: str = "32-true"
    threads: int = 0
    train_images: int = 0
    label_noise: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        check_numbers(self.record())
        choices = {
            "head": HEADS,
            "mapping": (*MAPPINGS, *ALIGNED),
            "optimizer": OPTIMIZERS,
            "schedule": SCHEDULES,
        }
        for name, known in (choices | {"precision": PRECISIONS}).items():
            as_choice(name, getattr(self, name), known)
        _check_prototypes(self)

    @property
    def fits_prototypes(self) -> bool:
        """Whether its prototypes depend on the training examples."""
        return self.mapping in ALIGNED or self.rehearsal > 0

    @property
    def seed_of_prototypes(self) -> int:
        """Their own, or the one of everything."""
        return self.seed if self.prototype_seed < 0 else self.prototype_seed

    @property
    def seed_of_split(self) -> int:
        """Its own, or the one of everything."""
        return self.seed if self.split_seed < 0 else self.split_seed

    @property
    def augmentation(self) -> Augmentation:
        """What happens to training images."""
        return Augmentation(self.pad, self.flip, self.rotation_degrees)

    @property
    def series(self) -> str:
        """What prototypes it has, or which head that is learned instead: how results are told apart."""
        return self.scheme if self.head == "prototypes" else LEARNED[self.head]

    @property
    def title(self) -> str:
        """The run in a few words, for people."""
        mapping = f", {self.mapping}" if self.head == "prototypes" else ""
        mapping += (
            f", {Path(self.similarity).stem}" if self.similarity != "seen" else ""
        )
        mapping += ", rehearsed" if self.rehearsal else ""
        mapping += ", reassigned" if self.reassignment else ""
        return f"{self.series}, n = {self.dim}{mapping}, seed {self.seed}"

    @property
    def digest(self) -> str:
        """Twenty hexadecimal letters over the settings that are not at their defaults; a new setting alters none."""
        told = {
            name: value
            for name, value in self.record().items()
            if value != DEFAULTS[name]
        }
        if told.get("preset") == "mettes":  # what it was called before presets
            told["objective"] = told.pop("preset")
        text = json.dumps(told, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LETTERS]

    def record(self) -> dict[str, Any]:
        """The settings as plain JSON."""
        return asdict(self)

    def changed(self, **settings: Any) -> TrainingConfig:
        """The same config with other settings; one that does not exist is refused with the nearest that does."""
        return config_from(self.record() | _modern(settings))


def config_from(settings: Mapping[str, Any]) -> TrainingConfig:
    """A config of these settings over the defaults."""
    if not isinstance(settings, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - files hold anything
        raise InvalidArgumentError(
            f"a config must be settings with their names, got {brief(settings)}"
        )
    known = {each.name: str(each.type) for each in fields(TrainingConfig)}
    given = _modern(settings)
    for name, value in given.items():
        if name not in known:
            raise InvalidArgumentError(
                f"a config has no setting {brief(name)}; its settings are: {', '.join(known)}"
            )
        if known[name] == "str":
            as_text(name, value)
        if name == "options":
            _check_options(value)
        if "float" in known[name] and type(value) is int and abs(value) < 1 << 53:
            given[name] = float(value)
    return TrainingConfig(**given)


def without_prototypes(settings: Mapping[str, Any]) -> dict[str, Any]:
    """These settings with those of prototypes at their defaults, as a learned head wants them."""
    return dict(settings) | {name: DEFAULTS[name] for name in OF_PROTOTYPES}


def _modern(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under their names of now: what was `objective` is the preset of that name."""
    given = dict(settings)
    if "objective" in given:
        preset = as_choice("objective", given.pop("objective"), ("lindstrom", "mettes"))
        given.setdefault("preset", preset)
    return given


def _check_options(value: Any) -> None:
    """Refuse options that are not named, or no plain JSON, which provenance is kept as."""
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(
            f"'options' must be options with their names, got {brief(value)}"
        )
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"'options' must be plain numbers and texts: {error}"
        ) from error


def _check_prototypes(config: TrainingConfig) -> None:
    """A scheme, a preset and a loss that exist; for a learned head none of them."""
    if config.head != "prototypes":
        for name in OF_PROTOTYPES:
            if getattr(config, name) != DEFAULTS[name]:
                raise InvalidArgumentError(
                    f"'{name}' goes with head 'prototypes', and the head is '{config.head}'"
                )
        return
    describe(config.scheme).resolved(config.options)
    if config.similarity != "seen" and config.mapping not in ALIGNED:
        raise InvalidArgumentError(
            f"'similarity' goes with the mappings align and oppose, got '{config.mapping}'"
        )
    if config.reassignment and config.scale == "learn":
        raise InvalidArgumentError(
            "'reassignment' makes a new head, which a 'scale' that is learned would not survive"
        )
    if config.preset != "lindstrom" or config.loss != "auto" or config.scale != "auto":
        from protosphere.experiments.heads import (
            check_preset_and_loss,
        )  # which loads torch

        check_preset_and_loss(config)


DEFAULTS: Mapping[str, Any] = TrainingConfig().record()
"""Every setting as it is where nobody says otherwise."""
