"""Load configs: the shipped configs by their names, and the configs of a user from TOML files.

A config has the settings of one training run: dataset, backbone, scheme, loss and optimization.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from protosphere.constructions import describe
from protosphere.data import dataset_facts
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import TrainingConfig, config_from
from protosphere.registry import Registry
from protosphere.storage.files import reading


def config_names() -> tuple[str, ...]:
    """Return the names of the configs that are shipped with the package.

    Returns:
        The names, sorted.

    Example:
        >>> from protosphere.experiments import config_names
        >>> "paper-mnist" in config_names()
        True
    """
    return tuple(_shipped())


@lru_cache(maxsize=1)
def _shipped() -> Registry[Mapping[str, Any]]:
    configs: Registry[Mapping[str, Any]] = Registry("config")
    text = (
        files("protosphere.experiments")
        .joinpath("configs.toml")
        .read_text(encoding="utf-8")
    )
    for name, settings in tomllib.loads(text).items():
        configs.add(name, settings)
    return configs


def load_config(name: str) -> TrainingConfig:
    """Return the config with a given name, or the config in a .toml file.

    Args:
        name: Name of a config that is shipped with the package (`config_names` returns these names), or path of a .toml
            file.

    Returns:
        The config.

    Raises:
        InvalidArgumentError: If there is no config of this name, or a setting is not valid.
        StorageError: If the file cannot be read.

    Example:
        >>> from protosphere.experiments import load_config
        >>> load_config("paper-mnist").epochs
        200
    """
    if is_config_file(name):
        return config_from(read_toml(Path(name)))
    return config_from(
        _shipped().named(name, otherwise=", or the path of a .toml file")
    )


def is_config_file(name: str) -> bool:
    """Return True if `name` ends in .toml and is thus a path. Any other text is the name of a shipped config."""
    return name.endswith(".toml")


def states_dim(name: str) -> bool:
    """Return True if `name` is the path of a .toml file that sets `dim`, otherwise False.

    The result is also False for the name of a shipped config, which sets `dim` only for its own scheme and dataset.

    Args:
        name: Path of a .toml file, or name of a config that is shipped with the package.
    """
    return is_config_file(name) and "dim" in read_toml(Path(name))


def default_config(dataset: str) -> str:
    """Return the name of the shipped config that is used for a dataset if the user names no config.

    The name is `quick-` followed by the name of the dataset, with hyphens in place of underscores, if such a config is
    shipped. Otherwise it is `quick-features` for a dataset of features, and `quick-digits` for a dataset of images.

    Args:
        dataset: Name of the dataset, such as 'digits'.
    """
    name = f"quick-{dataset.replace('_', '-')}"
    if name in config_names():
        return name
    return "quick-features" if dataset_facts(dataset).is_features else "quick-digits"


def read_toml(path: Path) -> Mapping[str, Any]:
    """Return the content of a TOML file as nested dictionaries and lists.

    Args:
        path: Path of the file.

    Raises:
        StorageError: If the file cannot be read or is not valid TOML.
    """
    with reading(path, "not TOML"):
        return tomllib.loads(path.read_text(encoding="utf-8"))


def default_dim(
    scheme: str, num_classes: int, options: Mapping[str, Any] | None = None
) -> int:
    """Return a dimension that a scheme supports and that is near the number of classes.

    Let P be the smallest power of two that is at least K. The dimension is the first of K, K - 1, P - 1, P and 2 P - 1
    that the scheme supports for K classes.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        num_classes: Number of classes K.
        options: Options of the scheme; None for its defaults.

    Raises:
        InvalidArgumentError: If the scheme supports none of these dimensions.

    Example:
        >>> from protosphere.experiments.config_files import default_dim
        >>> default_dim("simplex", 10), default_dim("bch", 10), default_dim("reed_muller", 10)
        (10, 15, 16)
    """
    entry = describe(scheme)
    chosen = entry.resolved(options or {})
    infeasible_reason = None
    power = 1 << (num_classes - 1).bit_length()
    for dim in (num_classes, num_classes - 1, power - 1, power, 2 * power - 1):
        if (
            dim >= 1
            and (
                infeasible_reason := entry.infeasible_reason(num_classes, dim, **chosen)
            )
            is None
        ):
            return dim
    raise InvalidArgumentError(
        f"'{scheme}' has no dimension near {num_classes}; say which by --dim ({infeasible_reason})"
    )
