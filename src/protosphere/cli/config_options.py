"""Every setting of a config as a flag, and the config that flags and a file come to together."""

import tomllib
from dataclasses import Field, asdict, dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from cyclopts import Group, Parameter

from protosphere.assignment.similarity import similarity_text
from protosphere.cli.arguments import DimFlag, Either, Whole, flag
from protosphere.constructions import describe
from protosphere.data import dataset_facts
from protosphere.errors import InfeasibleError, InvalidArgumentError, brief
from protosphere.experiments.config import ALIGNED, TrainingConfig
from protosphere.experiments.config_files import (
    config_names,
    default_config,
    default_dim,
    load_config,
)

CHOSEN_BY_RULE = ("dim",)
"""Settings whose help says by what rule they are chosen."""


Kind = TypeVar("Kind")

BY_ANOTHER = -1
"""The value of a seed that is that of the run."""


def with_defaults(kind: type[Kind]) -> type[Kind]:
    """Add to the help of each option the value that it has where it is not given."""
    quick = {
        name: load_config(name) for name in config_names() if name.startswith("quick-")
    }
    base = quick["quick-digits"]
    for name, option in vars(kind).items():
        if (
            isinstance(option, Field)
            and name in base.record()
            and name not in CHOSEN_BY_RULE
        ):
            told = default_text(getattr(base, name))
            if len({getattr(config, name) for config in quick.values()}) > 1:
                told += " for digits, else by the dataset"
            option.metadata = MappingProxyType(
                {"help": f"{option.metadata['help']} [default: {told}]"}
            )
    return kind


def default_text(value: object) -> str:
    """A default as one would write it.

    >>> default_text(False), default_text(30), default_text("auto"), default_text(-1)
    ('off', '30', 'auto', 'that of --seed')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return "that of --seed" if value == BY_ANOTHER else str(value)


@dataclass(frozen=True)
@with_defaults
class ConfigOptions:
    """The settings of a config; None where not given, so that the config's own holds."""

    head: Literal["prototypes", "linear", "bottleneck"] | None = flag(
        "Fixed prototypes, a learned last layer (linear), or a learned layer after --dim numbers (bottleneck)."
    )
    scheme: str | None = flag("A scheme that `protosphere list` shows.")
    dim: DimFlag | None = flag(
        "The dimension n of the prototypes; by default about the number of classes."
    )
    mapping: Literal["fixed", "random", "align", "oppose"] | None = flag(
        "Class i gets point i, or one by the seed; or similar classes get near (align) or distant (oppose) ones."
    )
    similarity: str | None = flag(
        "For those two, of classes: seen, logits or learned, by the training examples, a tree such as cifar100_levels, "
        "or a .csv file of vectors."
    )
    rehearsal: Whole | None = flag(
        "Epochs over which prototypes move with the network before they are fixed and training begins anew."
    )
    reassignment: Whole | None = flag(
        "Between so many of the first epochs classes get the prototypes that their examples come near."
    )
    preset: str | None = flag(
        "How z becomes logits: soft_cap, protosphere, lindstrom, kasarla or mettes."
    )
    loss: str | None = flag(
        "auto for the preset's own, or e.g. cosine_cross_entropy or additive_angular_margin."
    )
    margin: float | None = flag("Of the losses that have one.")
    scale: str | None = flag("Of the logits: auto, learn, or a number.")
    seed: Whole | None = flag(
        "Of the prototypes, the split, the weights, the order and the augmentation."
    )
    prototype_seed: Whole | None = flag("Of the prototypes and their mapping alone.")
    split_seed: Whole | None = flag("Of the split alone.")
    backbone: str | None = flag(
        "simard, small, resnet18, resnet34; linear or mlp(512) for features; or package.module.Network."
    )
    epochs: Whole | None = flag("How often every training example is seen.")
    batch_size: Whole | None = flag("Examples at a time, over all devices.")
    optimizer: Literal["sgd", "adamw"] | None = flag("SGD with momentum, or AdamW.")
    lr: float | None = flag("The learning rate at the start.")
    momentum: float | None = flag("Of the descent.")
    weight_decay: float | None = flag("Of the descent.")
    schedule: Literal["cosine", "constant"] | None = flag("Of the learning rate.")
    warmup: float | None = flag(
        "Epochs over which the rate rises to its value, e.g. 0.5."
    )
    validation: float | None = flag("The share of the training examples held out.")
    augment_validation: Either = flag("Augment those too, as the authors' programs do.")
    pad: Whole | None = flag("Crop from the image padded by so many pixels.")
    flip: Either = flag("Mirror half of the images.")
    rotation_degrees: float | None = flag("Rotate by up to so many degrees.")
    precision: str | None = flag(
        "Of the network's numbers: 32-true, bf16-mixed, 16-mixed (on GPUs) or 64-true."
    )
    threads: Whole | None = flag("Of the processor; 0 for as many as there are.")
    train_images: Whole | None = flag("Use so many training examples only; 0 for all.")
    label_noise: float | None = flag(
        "The share of the training examples that get another class's label."
    )
    modify: bool | None = flag(
        "Let the scheme's code be shortened, extended and punctured to the dimension."
    )
    option: list[str] | None = flag(
        "Another option of the scheme, as KEY=VALUE; may be given several times."
    )

    def given(self) -> dict[str, Any]:
        """Those that were given; those of the scheme in a mapping of their own."""
        flags = {
            name: value for name, value in asdict(self).items() if value is not None
        }
        if "scale" in flags:
            flags["scale"] = parsed_scale(flags["scale"])
        options = dict(parsed_option(text) for text in flags.pop("option", ()))
        if flags.pop("modify", False):
            options["modify"] = True
        return flags | ({"options": options} if options else {})


def parsed_scale(text: str) -> float | str:
    """A number where it is one, else the word.

    >>> parsed_scale("16"), parsed_scale("learn")
    (16.0, 'learn')
    """
    try:
        return float(text)
    except ValueError:
        return text


def parsed_option(text: str) -> tuple[str, Any]:
    """A key and its value, read as TOML reads it, or else as a text.

    >>> parsed_option("steps=200"), parsed_option("subset=greedy")
    (('steps', 200), ('subset', 'greedy'))
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise InvalidArgumentError(
            f"'--option' must be like KEY=VALUE, got {brief(text)}"
        )
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


NOTHING = ConfigOptions()
Settings = Annotated[
    ConfigOptions,
    Parameter(name="*", negative="", group=Group("Settings of the config", sort_key=1)),
]


def resolved(
    dataset: str | None, config: str | None, options: ConfigOptions
) -> TrainingConfig:
    """The named config, or the dataset's quick one, with what was given; InfeasibleError before any image is read."""
    given = options.given()
    base = load_config(
        default_config(dataset or "digits") if config is None else config
    )
    facts = dataset_facts(dataset or base.dataset)
    base = base.changed(dataset=dataset or base.dataset, **given)
    if base.head == "linear" and "dim" not in given:
        return base.changed(dim=facts.num_classes)
    design = designed_for(base, facts.num_classes)
    if "dim" not in given:
        base = base.changed(dim=default_dim(base.scheme, facts.num_classes, design))
    if base.head == "prototypes":
        entry = describe(base.scheme)
        infeasible_reason = entry.infeasible_reason(
            facts.num_classes, base.dim, **entry.resolved(design)
        )
        if infeasible_reason:
            raise InfeasibleError(infeasible_reason)
    return base


def designed_for(config: TrainingConfig, num_classes: int) -> dict[str, Any]:
    """The scheme's options, with a stand-in for the similarity that it is designed for and training finds."""
    if (
        config.mapping not in ALIGNED
        or "similarity" not in describe(config.scheme).options
    ):
        return dict(config.options)
    return {"similarity": similarity_text(np.eye(num_classes))} | dict(config.options)
