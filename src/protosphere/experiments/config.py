"""`TrainingConfig`: the settings of a training run. The digest of the settings identifies the run.

A head maps the output of the network to logits, one for each class. A head has fixed prototypes, or it is learned. The
objective is the task for which a network is trained: `classification` uses labels, and all other objectives are
self-supervised, which means that they use no labels. A prototype warm-up trains the prototypes together with the
network for a few epochs, after which the prototypes are fixed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from protosphere.assignment import MAPPINGS
from protosphere.constructions import describe
from protosphere.data.augmentation_settings import Augmentation
from protosphere.data.view_settings import ViewSettings
from protosphere.errors import InvalidArgumentError, brief
from protosphere.experiments.settings import (
    check_setting,
    converted,
    default_of,
    setting,
    settings_of,
)

LEARNED_HEADS = {"linear": "learned layer", "bottleneck": "learned bottleneck"}
"""For each value of `head` that stands for a head with learned weights, the name of this head in results."""

LEARNED_PROTOTYPES = "learned prototypes"
"""Name in results of a self-supervised run with learned prototypes."""

ALIGNED_MAPPINGS = ("align", "oppose")
"""Values of `mapping` for which the similarity of the classes must be computed (`experiments.class_similarity`)."""

GIVEN_PROTOTYPES = "given"
"""Value of `prototypes` that stands for the prototypes of the scheme."""

CLASSIFICATION = "classification"
"""Value of `objective` that trains with labels; all other objectives are self-supervised (`experiments.objectives`)."""

FEATURE_DIM = 256
"""Number of features that the backbone of a self-supervised run returns, before the projection head."""

PRECISIONS = ("32-true", "bf16-mixed", "16-mixed", "64-true")

SAME_SEED = -1
"""Value of `prototype_seed` and `split_seed` that stands for the seed of the run."""

DIGEST_LETTERS = 20


@dataclass(frozen=True)
class TrainingConfig:
    """Settings of a training run. Together with the data, they determine the weights after training.

    `protosphere train --help` describes every setting: the flags of the command line are generated from the fields of
    this class, each of which declares its default, its limits and its help text.

    Example:
        >>> from protosphere.experiments import TrainingConfig
        >>> TrainingConfig(dataset="digits", scheme="simplex", dim=9).title
        'simplex, n = 9, fixed, seed 0'
    """

    dataset: str = setting("digits", "Name of a dataset, or path of an .npz file.")
    head: str = setting(
        "prototypes",
        "Head of the network: fixed prototypes (prototypes), a learned last layer (linear), or a learned layer "
        "with --dim inputs (bottleneck).",
        choices=("prototypes", *LEARNED_HEADS),
    )
    scheme: str = setting(
        "best", "Scheme of the prototypes (`protosphere list`).", prototypes_only=True
    )
    prototypes: str = setting(
        GIVEN_PROTOTYPES,
        "Source of the prototypes: the scheme (given), the class means of the training inputs (class_means), or the "
        "weights of a bottleneck head that is trained for half of the epochs (learned).",
        choices=(GIVEN_PROTOTYPES, "class_means", "learned"),
        prototypes_only=True,
    )
    dim: int = setting(
        10,
        "Dimension n of the prototypes. The default is a dimension near the number of classes that the scheme has.",
        minimum=1,
        maximum=1 << 24,
    )
    mapping: str = setting(
        "fixed",
        "Assignment of points to classes: class i gets point i (fixed), the order is random (random), or similar "
        "classes get nearby (align) or distant (oppose) points.",
        choices=(*MAPPINGS, *ALIGNED_MAPPINGS),
        prototypes_only=True,
    )
    similarity: str = setting(
        "seen",
        "Source of the class similarity for align and oppose. The values seen, logits and learned compute it from the "
        "training examples. Any other value is a tree such as cifar100_levels, or a .csv file with a vector per class.",
        prototypes_only=True,
    )
    prototype_warmup_epochs: int = setting(
        0,
        "Number of epochs in which the prototypes are trained with the network. Then they are fixed, and training "
        "starts again.",
        maximum=1 << 30,
        prototypes_only=True,
    )
    preset: str = setting(
        "auto",
        "How the network's output z becomes logits: soft_cap, protosphere, lindstrom, kasarla or mettes. The value "
        "auto stands for protosphere for at most 30 classes, otherwise for soft_cap.",
        prototypes_only=True,
    )
    loss: str = setting(
        "auto",
        "Name of the loss, such as cosine_cross_entropy or additive_angular_margin; auto is the loss of the preset.",
        prototypes_only=True,
    )
    loss_options: Mapping[str, Any] = setting(
        {}, "Options of the loss, such as margin=0.3.", prototypes_only=True
    )
    scale: float | str = setting(
        "auto",
        "Scale of the logits: a number, auto for the scale that the preset chooses, or learn to train it.",
        prototypes_only=True,
    )
    seed: int = setting(
        0,
        "Seed of the prototypes, the validation split, the initial weights, the order of the examples and the "
        "augmentation.",
    )
    prototype_seed: int = setting(
        SAME_SEED,
        "Seed of the prototypes and their mapping; -1 for the value of seed.",
        minimum=SAME_SEED,
        prototypes_only=True,
    )
    split_seed: int = setting(
        SAME_SEED,
        "Seed of the validation split; -1 for the value of seed.",
        minimum=SAME_SEED,
    )
    backbone: str = setting(
        "simard",
        "Network: simard, small, resnet18 or resnet34 for images, linear or mlp(512) for features, or the import name "
        "of a class, such as package.module.Network.",
    )
    epochs: int = setting(
        10, "Number of passes over the training examples.", maximum=1 << 30
    )
    batch_size: int = setting(
        512,
        "Number of examples per step, over all devices.",
        minimum=1,
        maximum=1 << 24,
    )
    optimizer: str = setting(
        "sgd",
        "Optimizer: SGD with momentum (sgd), or AdamW (adamw).",
        choices=("sgd", "adamw"),
    )
    lr: float = setting(0.1, "Initial learning rate of the schedule.", positive=True)
    momentum: float = setting(
        0.9, "Momentum of SGD, or decay of the first moment of AdamW.", below=1.0
    )
    weight_decay: float = setting(5e-4, "Weight decay of the optimizer.", below=1e30)
    schedule: str = setting(
        "cosine",
        "Schedule of the learning rate: decay along a cosine (cosine), or a constant rate (constant).",
        choices=("cosine", "constant"),
    )
    warmup: float = setting(
        0.0,
        "Number of epochs over which the learning rate rises from 0 to the value of the schedule, e.g. 0.5.",
        below=1e9,
    )
    validation: float = setting(
        0.2,
        "Fraction of the training examples that is held out for validation.",
        below=1.0,
    )
    augment_validation: bool = setting(
        False,
        "Augment the held-out examples too, as the programs of Lindström et al. (2024) do.",
    )
    pad: int = setting(
        0,
        "Number of black pixels that are added on every side before a random crop; 0 for no crop.",
        maximum=1 << 12,
    )
    flip: bool = setting(False, "Mirror half of the images left to right, at random.")
    rotation_degrees: float = setting(
        0.0,
        "Largest angle of a random rotation, in degrees; 0 for no rotation.",
        at_most=180.0,
    )
    precision: str = setting(
        "32-true",
        "Precision of the network's numbers; 16-mixed needs a GPU.",
        choices=PRECISIONS,
    )
    threads: int = setting(
        0, "Number of CPU threads; 0 for the default of torch.", maximum=1 << 10
    )
    train_images: int = setting(
        0, "Number of training examples to use; 0 for all.", maximum=1 << 40
    )
    label_noise: float = setting(
        0.0,
        "Fraction of the training examples that get the label of another class.",
        below=1.0,
    )
    scheme_options: Mapping[str, Any] = setting(
        {}, "Options of the scheme, such as steps=200.", prototypes_only=True
    )
    objective: str = setting(
        CLASSIFICATION,
        "Training objective: classes (classification), or features without labels (swav, dino, noise_as_targets).",
    )
    num_prototypes: int = setting(
        512, "Number of prototypes of swav and dino.", minimum=2, maximum=1 << 24
    )
    temperature: float = setting(
        0.1,
        "Number by which cosines are divided before the softmax, in swav and for the student network in dino.",
        positive=True,
    )
    objective_options: Mapping[str, Any] = setting(
        {}, "Options of a self-supervised objective, such as epsilon=0.05."
    )
    crop_area: float = setting(
        0.2,
        "Smallest fraction of an image that a random view covers (self-supervised objectives only).",
        positive=True,
        at_most=1.0,
    )
    jitter: float = setting(
        0.4,
        "Largest relative change of brightness, contrast and saturation of views (self-supervised objectives only).",
        at_most=1.0,
    )
    grayscale: float = setting(
        0.2,
        "Fraction of the views that are converted to gray (self-supervised objectives only).",
        at_most=1.0,
    )

    def __post_init__(self) -> None:
        for name, (kind, declared) in DECLARED.items():
            check_setting(name, kind, declared, getattr(self, name))
        if self.head == "prototypes":
            _check_prototypes(self)
        else:
            _check_learned_head(self)
        if self.is_self_supervised:
            _check_self_supervised(self)
        else:
            _check_classification(self)

    @property
    def is_self_supervised(self) -> bool:
        """True if the network is trained without labels."""
        return self.objective != CLASSIFICATION

    @property
    def has_prototype_per_image(self) -> bool:
        """True if the objective is self-supervised and has one prototype for each training image.

        The setting `num_prototypes` is unused then.
        """
        if not self.is_self_supervised:
            return False
        # loads torch
        from protosphere.experiments.objectives import OBJECTIVES

        return OBJECTIVES[self.objective].targets_per_image

    @property
    def views(self) -> ViewSettings:
        """Settings of the random views (crops, flips, changes of color) that a self-supervised objective compares."""
        return ViewSettings(self.crop_area, self.flip, self.jitter, self.grayscale)

    @property
    def fits_prototypes(self) -> bool:
        """True if the prototypes of the classes depend on training examples or on similarities of the classes.

        This is the case if at least one of these conditions holds:

        - The setting `prototypes` is not `given`: the prototypes are class means or the weights of a learned layer.
        - The mapping is `align` or `oppose`, so that the order of the prototypes depends on the similarity of the
          classes.
        - There is a prototype warm-up, in which the prototypes are trained.
        """
        return (
            self.prototypes != GIVEN_PROTOTYPES
            or self.mapping in ALIGNED_MAPPINGS
            or self.prototype_warmup_epochs > 0
        )

    @property
    def seed_of_prototypes(self) -> int:
        """Seed of the prototypes: the value of `prototype_seed` or, if this value is -1, the seed of the run."""
        if self.prototype_seed == SAME_SEED:
            return self.seed
        return self.prototype_seed

    @property
    def seed_of_split(self) -> int:
        """Seed of the validation split: the value of `split_seed` or, if this value is -1, the seed of the run."""
        if self.split_seed == SAME_SEED:
            return self.seed
        return self.split_seed

    @property
    def augmentation(self) -> Augmentation:
        """Settings of the random crops, flips and rotations of training images."""
        return Augmentation(self.pad, self.flip, self.rotation_degrees)

    @property
    def series(self) -> str:
        """Name under which the results of the run are grouped.

        - If the run has prototypes of a scheme, it is the name of the scheme.
        - If the prototypes are the class means of training examples, it is "class means".
        - If the prototypes are the weights of a learned layer, it is "learned".
        - If the run is supervised and has a learned head, it is the name of the head, such as "learned layer".
        - If the run is self-supervised and learns its prototypes, it is "learned prototypes".
        """
        if self.head != "prototypes" and self.is_self_supervised:
            return LEARNED_PROTOTYPES
        if self.head != "prototypes":
            return LEARNED_HEADS[self.head]
        if self.prototypes != GIVEN_PROTOTYPES:
            return self.prototypes.replace("_", " ")
        return self.scheme

    @property
    def title(self) -> str:
        """Description of the run in one line.

        It names the prototypes or the learned head, the dimension and the seed. It also names these settings:

        - the objective, if the run is self-supervised,
        - the setting `num_prototypes`, if the run is self-supervised and does not have a prototype for each image,
        - the mapping, if the head has prototypes,
        - the setting `similarity`, if its value is not "seen",
        - the words "prototype warm-up", if there is one.
        """
        parts = [self.series, f"n = {self.dim}"]
        if self.is_self_supervised:
            parts = [self.objective, *parts]
        if self.is_self_supervised and not self.has_prototype_per_image:
            parts.append(f"K = {self.num_prototypes}")
        if self.head == "prototypes":
            parts.append(self.mapping)
        if self.similarity != "seen":
            parts.append(Path(self.similarity).stem)
        if self.prototype_warmup_epochs:
            parts.append("prototype warm-up")
        parts.append(f"seed {self.seed}")
        return ", ".join(parts)

    @property
    def digest(self) -> str:
        """First 20 hexadecimal digits of the SHA-256 digest of the settings that differ from their defaults.

        Because settings with default values are left out, a setting that a later version adds does not change the
        digests of earlier configs.
        """
        changed = {
            name: value
            for name, value in self.record().items()
            if value != DEFAULTS[name]
        }
        text = json.dumps(changed, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LETTERS]

    def record(self) -> dict[str, Any]:
        """Return the values of all settings by name, as a dictionary that can be written as JSON."""
        return asdict(self)

    def changed(self, **settings: Any) -> TrainingConfig:
        """Return a copy of the config with some settings replaced.

        Args:
            settings: New values by the names of the settings.

        Raises:
            InvalidArgumentError: If a setting does not exist or its value is not valid.
        """
        return config_from(self.record() | settings)


def config_from(settings: Mapping[str, Any]) -> TrainingConfig:
    """Return the config with the given settings. All other settings have their default values.

    Args:
        settings: Values of the settings by name, such as {"scheme": "bch"}.

    Raises:
        InvalidArgumentError: If a setting does not exist or its value is not valid.

    Example:
        >>> from protosphere.experiments.config import config_from
        >>> config_from({"scheme": "bch", "dim": 15}).title
        'bch, n = 15, fixed, seed 0'
    """
    if not isinstance(settings, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - files hold anything
        raise InvalidArgumentError(
            f"a config must be settings with their names, got {brief(settings)}"
        )
    given: dict[str, Any] = {}
    for name, value in settings.items():
        if name not in DECLARED:
            raise InvalidArgumentError(
                f"a config has no setting {brief(name)}; its settings are: {', '.join(DECLARED)}"
            )
        kind, _ = DECLARED[name]
        given[name] = converted(kind, value)
    return TrainingConfig(**given)


def without_prototypes(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `settings` in which every setting that only fixed prototypes use has its default value.

    A config with a learned head is valid only if these settings have their default values.

    Args:
        settings: Values of the settings by name.
    """
    return dict(settings) | {name: DEFAULTS[name] for name in PROTOTYPE_SETTINGS}


def _check_learned_head(config: TrainingConfig) -> None:
    for name in PROTOTYPE_SETTINGS:
        if getattr(config, name) != DEFAULTS[name]:
            raise InvalidArgumentError(
                f"'{name}' goes with head 'prototypes', and the head is '{config.head}'"
            )


SELF_SUPERVISED_SETTINGS = (
    "num_prototypes",
    "temperature",
    "objective_options",
    "crop_area",
    "jitter",
    "grayscale",
)
"""Names of the settings that only self-supervised objectives use."""

SUPERVISED_SETTINGS = (
    "preset",
    "loss",
    "scale",
    "augment_validation",
    "prototype_warmup_epochs",
)
"""Names of the settings that only the objective `classification` uses."""


def _check_classification(config: TrainingConfig) -> None:
    for name in SELF_SUPERVISED_SETTINGS:
        if getattr(config, name) != DEFAULTS[name]:
            raise InvalidArgumentError(
                f"'{name}' goes with a self-supervised objective, and the objective is '{config.objective}'"
            )


def _check_self_supervised(config: TrainingConfig) -> None:
    # loads torch
    from protosphere.experiments.objectives import OBJECTIVES, check_options

    check_options(config.objective, config.objective_options)
    for name in SUPERVISED_SETTINGS:
        if getattr(config, name) != DEFAULTS[name]:
            raise InvalidArgumentError(
                f"'{name}' goes with objective 'classification', and the objective is '{config.objective}'"
            )
    if config.fits_prototypes:
        raise InvalidArgumentError(
            f"the objective '{config.objective}' has no classes that prototypes could be fitted to; "
            "use prototypes 'given' and mapping 'fixed' or 'random'"
        )
    if config.head == "linear":
        raise InvalidArgumentError(
            f"the objective '{config.objective}' has head 'prototypes' (fixed) or 'bottleneck' (learned), got 'linear'"
        )
    if config.head != "prototypes" and not OBJECTIVES[config.objective].learned:
        raise InvalidArgumentError(
            f"the objective '{config.objective}' has fixed prototypes alone, got head '{config.head}'"
        )


def _check_prototypes(config: TrainingConfig) -> None:
    describe(config.scheme).resolved(config.scheme_options)
    if config.similarity != "seen" and config.mapping not in ALIGNED_MAPPINGS:
        raise InvalidArgumentError(
            f"'similarity' goes with the mappings align and oppose, got '{config.mapping}'"
        )
    if config.prototypes != GIVEN_PROTOTYPES:
        for name in ("scheme", "scheme_options", "mapping"):
            if getattr(config, name) != DEFAULTS[name]:
                raise InvalidArgumentError(
                    f"'{name}' goes with prototypes 'given', and 'prototypes' is '{config.prototypes}'"
                )
    chosen = (config.preset, config.loss, config.scale)
    if chosen != ("auto", "auto", "auto") or config.loss_options:
        # loads torch
        from protosphere.experiments.heads import check_preset_and_loss

        check_preset_and_loss(config)


DECLARED = settings_of(TrainingConfig)
"""Type annotation and declaration (help text and limits) of every setting, by name."""

PROTOTYPE_SETTINGS = tuple(
    name for name, (_, declared) in DECLARED.items() if declared.prototypes_only
)
"""Names of the settings that only fixed prototypes use."""

DEFAULTS: Mapping[str, Any] = {
    name: default_of(each) for name, each in TrainingConfig.__dataclass_fields__.items()
}
"""Default of every setting, by name."""
