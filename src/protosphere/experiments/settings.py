"""Declare the settings of a config: default, help text and limits of each setting in one place.

A config holds all settings of a training run.

The fields of `TrainingConfig` are declared by calls of the function `setting`. Checks, command-line flags and the
documentation of the config are generated from these declarations.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from protosphere.errors import (
    InvalidArgumentError,
    as_choice,
    as_flag,
    as_integer,
    as_text,
    brief,
)

LARGEST_FLOAT = 1e38
"""Upper limit of all float settings, below the largest number in single precision (3.4e38)."""

LARGEST_EXACT_INTEGER = 1 << 53
"""Upper limit of integers that are converted to float for a float setting; larger ones might change their value."""


@dataclass(frozen=True)
class Setting:
    """Declaration of a setting: its help text and its limits.

    Attributes:
        help: Description in one sentence, for the command line and the reference.
        minimum: Smallest allowed value, if the setting is an integer.
        maximum: Largest allowed value, if the setting is an integer.
        below: If the setting is a float, its value must be smaller than this number.
        at_most: Largest allowed value, if the setting is a float.
        positive: If the setting is a float: True if the value must be above 0, False if it may also be 0.
        choices: Allowed values, if the setting is a text. An empty tuple means that any text is allowed.
        prototypes_only: True if only runs with fixed prototypes use the setting. False if runs with a learned head may
            use it, too.
    """

    help: str
    minimum: int = 0
    maximum: int = (1 << 63) - 1
    below: float = LARGEST_FLOAT
    at_most: float = LARGEST_FLOAT
    positive: bool = False
    choices: tuple[str, ...] = ()
    prototypes_only: bool = False


def setting(default: Any, help: str, **limits: Any) -> Any:
    """Return a dataclass field that declares a setting of a config.

    Args:
        default: Default value. The default of a setting with named options, such as `scheme_options`, is a dictionary.
        help: Description in one sentence.
        limits: Values of the attributes of `Setting` except `help`, by name, such as minimum=1. Attributes that are not
            given have their defaults.

    Returns:
        A dataclass field; its metadata has the `Setting` under the key "setting".
    """
    metadata = {"setting": Setting(help, **limits)}
    if isinstance(default, dict):
        return field(default_factory=dict[str, Any], metadata=metadata)
    return field(default=default, metadata=metadata)


def settings_of(config: Any) -> dict[str, tuple[str, Setting]]:
    """Return a dictionary with the type annotation and the declaration of each setting of a config class.

    The keys are the names of the settings. A value is a pair of the type annotation as text, such as "float | str", and
    a `Setting`, which has the help text and the limits.

    Args:
        config: A class whose fields are declared by `setting`.
    """
    return {
        each.name: (str(each.type), each.metadata["setting"]) for each in fields(config)
    }


def default_of(field: Field[Any]) -> Any:
    """Return the default value of the setting that the dataclass field `field` declares.

    For a setting with named options, such as `scheme_options`, the default is an empty dictionary.
    """
    if field.default is MISSING:
        return {}
    return field.default


def check_setting(name: str, kind: str, declared: Setting, value: Any) -> None:
    """Check that a value has the type of a setting and is within the limits of the setting.

    The types "int", "float", "bool", "str" and mappings are checked. If the setting has another type, such as "float |
    str", nothing is checked.

    Args:
        name: Name of the setting, a field of `TrainingConfig`.
        kind: Type annotation of the setting as text.
        declared: Declaration of the setting, with its limits.
        value: Value to check.

    Raises:
        InvalidArgumentError: If the setting cannot have this value.
    """
    if kind == "int":
        _check_integer(name, declared, value)
    elif kind == "float":
        _check_number(name, declared, value)
    elif kind == "bool":
        as_flag(name, value)
    elif kind == "str":
        as_text(name, value)
        if declared.choices:
            as_choice(name, value, declared.choices)
    elif kind.startswith("Mapping"):
        _check_options(name, value)


def converted(kind: str, value: Any) -> Any:
    """Return `value`, converted to float if it is an integer and the setting has float values.

    An integer of absolute value 2**53 or more is returned unchanged, because the conversion might change its value.

    Args:
        kind: Type annotation of the setting as text, such as "int" or "float | str".
        value: Any value.
    """
    is_exact = type(value) is int and abs(value) < LARGEST_EXACT_INTEGER
    if "float" in kind and is_exact:
        return float(value)
    return value


def _check_integer(name: str, declared: Setting, value: Any) -> None:
    if as_integer(name, value, minimum=declared.minimum) > declared.maximum:
        raise InvalidArgumentError(
            f"'{name}' must be at most {declared.maximum}, got {brief(value)}"
        )


def _check_number(name: str, declared: Setting, value: Any) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    within = is_number and 0 <= value <= declared.at_most and value < declared.below
    if within and (value > 0 or not declared.positive):
        return
    least = "above 0" if declared.positive else "of at least 0"
    if declared.at_most < declared.below:
        most = f"at most {declared.at_most:g}"
    else:
        most = f"below {declared.below:g}"
    raise InvalidArgumentError(
        f"'{name}' must be a number {least} and {most}, got {brief(value)}"
    )


def _check_options(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(
            f"'{name}' must be options with their names, got {brief(value)}"
        )
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"'{name}' must be plain numbers and texts: {error}"
        ) from error
