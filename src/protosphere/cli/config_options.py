"""Define command-line flags for the settings of a config, and combine the given flags with a config.

A flag is an option of the command line, such as `--epochs 6`. A setting with options, such as `scheme_options`, is a
setting whose value is a mapping from names to values.

A config holds all settings of a training run.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, field, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts import Group, Parameter

from protosphere.assignment.similarity import similarity_text
from protosphere.cli.arguments import DimFlag, Whole, flag
from protosphere.constructions import describe
from protosphere.data import dataset_facts
from protosphere.errors import InfeasibleError, InvalidArgumentError, brief
from protosphere.experiments.config import (
    ALIGNED_MAPPINGS,
    DECLARED,
    SAME_SEED,
    TrainingConfig,
)
from protosphere.experiments.config_files import (
    config_names,
    default_config,
    default_dim,
    load_config,
    states_dim,
)
from protosphere.experiments.settings import Setting

FLAG_TYPES: dict[str, Any] = {
    "int": Whole,
    "float": float,
    "bool": Annotated[bool, Parameter(negative=None)],
    "str": str,
    "float | str": str,
}
"""Type of the flag for a setting, by the type annotation of the setting."""

OPTIONS = ("scheme_options", "loss_options", "objective_options")
"""Settings whose values are mappings from the names of options to their values."""

SELF_SUPERVISED_DIM = 128
"""Default dimension of the prototypes of a self-supervised objective."""

CHOSEN_BY_RULE = ("dim", *OPTIONS)
"""Settings whose default depends on other settings, so that their help text states no default."""

NOT_FLAGS = ("dataset",)
"""Settings that are positional arguments of the command `train`, and not flags."""


class GivenSettings:
    """Values of the command-line flags for the settings of a config, which holds all settings of a training run.

    If a flag is not given, its value is None, and the setting keeps its value in the config.
    """

    def given(self) -> dict[str, Any]:
        """Return the values of the settings that were given as flags, by the names of the settings.

        The texts KEY=VALUE of a setting with options are parsed into a mapping. If the user gave the flag --modify, the
        setting `scheme_options` also contains the option `modify` with the value True.
        """
        flags = {
            name: value
            for name, value in asdict(self).items()  # pyright: ignore[reportArgumentType] - the subclass is a dataclass
            if value is not None
        }
        if "scale" in flags:
            flags["scale"] = parsed_scale(flags["scale"])
        modify = flags.pop("modify", False)
        for name in OPTIONS:
            if name in flags:
                flags[name] = parsed_options(name, flags[name])
        if modify:
            options = flags.get("scheme_options", {})
            flags["scheme_options"] = options | {"modify": True}
        return flags


def config_flags() -> type[GivenSettings]:
    """Return a dataclass that has a field for the flag of each setting of a config, and a field for the flag --modify.

    The class is a subclass of `GivenSettings`. Its fields are generated from the declarations of the settings.
    """
    quick = [load_config(name) for name in config_names() if name.startswith("quick-")]
    flags: list[tuple[str, Any, Any]] = []
    for name, (kind, declared) in DECLARED.items():
        if name not in NOT_FLAGS:
            text = declared.help + default_text(name, quick)
            value = field(default=None, metadata={"help": text})
            flags.append((name, flag_type(name, kind, declared), value))
    modify = flag(
        "Shorten, extend or puncture the code of the scheme to reach the dimension."
    )
    flags.append(("modify", bool | None, modify))
    return make_dataclass(
        "ConfigFlags",
        flags,
        bases=(GivenSettings,),
        namespace={"__module__": __name__},  # cyclopts asks which module it is of
        frozen=True,
    )


def flag_type(name: str, kind: str, declared: Setting) -> Any:
    """Return the type annotation of the flag for a setting, from which cyclopts parses the flag.

    Args:
        name: Name of the setting, a field of `TrainingConfig`.
        kind: Type annotation of the setting.
        declared: Choices, limits and help text of the setting.
    """
    if kind.startswith("Mapping"):
        singular = name.removesuffix("s").replace("_", "-")
        return Annotated[list[str] | None, Parameter(name=f"--{singular}")]
    found: Any = FLAG_TYPES[kind]
    if name == "dim":
        found = DimFlag
    elif declared.choices:
        found = Literal[declared.choices]
    return found | None


def default_text(name: str, quick: Sequence[TrainingConfig]) -> str:
    """Return the text with which the help of a flag states the default of its setting, such as " [default: 30]".

    The text states the default for the dataset `digits`. If the default of another dataset differs, the words "for
    digits, else by the dataset" follow the default within the brackets. For `dim`, `scheme_options`, `loss_options` and
    `objective_options`, whose defaults depend on other settings, the result is the empty text.

    Args:
        name: Name of the setting, a field of `TrainingConfig`.
        quick: The shipped configs whose names begin with "quick-", which have the defaults for the different datasets.
    """
    if name in CHOSEN_BY_RULE:
        return ""
    told = default_label(getattr(load_config("quick-digits"), name))
    if len({getattr(config, name) for config in quick}) > 1:
        told += " for digits, else by the dataset"
    return f" [default: {told}]"


def default_label(value: object) -> str:
    """Return a default value as text for the help of a flag.

    True becomes "on", and False becomes "off". The value -1 becomes "that of --seed", because a seed of -1 stands for
    the seed that the flag --seed sets. Any other value is converted by `str`.

    >>> default_label(False), default_label(30), default_label("auto"), default_label(-1)
    ('off', '30', 'auto', 'that of --seed')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if value == SAME_SEED:
        return "that of --seed"
    return str(value)


def parsed_scale(text: str) -> float | str:
    """Return the value of the flag --scale as a number. If the text is not a number, return the text itself.

    >>> parsed_scale("16"), parsed_scale("learn")
    (16.0, 'learn')
    """
    try:
        return float(text)
    except ValueError:
        return text


def parsed_options(name: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the mapping from KEY to VALUE that texts of the form KEY=VALUE describe.

    VALUE is parsed as a TOML value. If it is not valid TOML, it is kept as text.

    Args:
        name: Name of the setting, such as "scheme_options", for the error message.
        texts: Values of the flag, one for each time it was given.

    Raises:
        InvalidArgumentError: If a text contains no "=".

    >>> parsed_options("scheme_options", ["steps=200", "subset=greedy"])
    {'steps': 200, 'subset': 'greedy'}
    """
    options: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            flag_name = name.removesuffix("s").replace("_", "-")
            raise InvalidArgumentError(
                f"'--{flag_name}' must be like KEY=VALUE, got {brief(text)}"
            )
        try:
            options[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            options[key] = value
    return options


if TYPE_CHECKING:
    ConfigFlags = GivenSettings
else:
    ConfigFlags = config_flags()

NOTHING = ConfigFlags()
Settings = Annotated[
    ConfigFlags,
    Parameter(name="*", negative="", group=Group("Settings of the config", sort_key=1)),
]


def resolved(
    dataset: str | None, config: str | None, options: GivenSettings
) -> TrainingConfig:
    """Return the config of a run: a named config in which the settings that were given as flags are replaced.

    If neither a flag nor a config file of the user gives a dimension, a default dimension is chosen that suits the
    scheme and the head. All errors are raised before any image is read.

    Args:
        dataset: Name of the dataset; None for the dataset of the config.
        config: Name of the config, or path of a .toml file; None for the quick config of the dataset.
        options: Flags of the command line.

    Raises:
        InfeasibleError: If the scheme has no code for the number of classes and the dimension.
        InvalidArgumentError: If the config does not exist, or if a setting is not valid.
    """
    given = options.given()
    name = default_config(dataset or "digits") if config is None else config
    base = load_config(name)
    facts = dataset_facts(dataset or base.dataset)
    base = base.changed(dataset=dataset or base.dataset, **given)
    has_dim = "dim" in given or states_dim(name)
    if base.head == "linear" and not has_dim:
        return base.changed(dim=facts.num_classes)
    if base.is_self_supervised:
        return base if has_dim else base.changed(dim=SELF_SUPERVISED_DIM)
    scheme_options = designed_for(base, facts.num_classes)
    if not has_dim:
        dim = default_dim(base.scheme, facts.num_classes, scheme_options)
        base = base.changed(dim=dim)
    if base.head == "prototypes":
        entry = describe(base.scheme)
        chosen = entry.resolved(scheme_options)
        reason = entry.infeasible_reason(facts.num_classes, base.dim, **chosen)
        if reason:
            raise InfeasibleError(reason)
    return base


def designed_for(config: TrainingConfig, num_classes: int) -> dict[str, Any]:
    """Return the options of a config's scheme, completed so that they can be checked before training.

    If the scheme takes a class similarity, and the mapping is `align` or `oppose`, the similarity is computed only when
    training begins. Until then, an identity matrix takes its place.

    Args:
        config: Config with the scheme and its options.
        num_classes: Number of classes.
    """
    options = dict(config.scheme_options)
    takes_similarity = "similarity" in describe(config.scheme).options
    if config.mapping in ALIGNED_MAPPINGS and takes_similarity:
        options.setdefault("similarity", similarity_text(np.eye(num_classes)))
    return options
