"""Read the configs of a sweep from a TOML file.

A config has the settings of one training run. The file contains the name of a config, and grids. A grid is a set of
lists of heads, schemes, dimensions, mappings, seeds or other settings, such as `dims = [7, 15, 31]`. Each combination
of the values in the lists gives a config: a copy of the named config with these values. Lists and settings at the top
of the file apply to every grid that does not have them itself.

For example::

    config = "quick-mnist"             # a name or a path; other settings in the file replace its settings
    epochs = 6
    seeds = [0, 1]
    [[grid]]
    schemes = ["bch"]
    dims = [7, 15, 31]
    mappings = ["fixed", "random"]     # the default is the mapping of the config
    weight_decay = 0                   # a grid may also replace settings
    [[grid]]
    heads = ["linear", "bottleneck"]   # the default is the head of the config; a linear head needs no schemes or dims
    dims = [15]
"""

import difflib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, cast

from protosphere.data import dataset_facts
from protosphere.errors import InvalidArgumentError, brief
from protosphere.experiments.config import (
    DEFAULTS,
    LEARNED_HEADS,
    PROTOTYPE_SETTINGS,
    TrainingConfig,
    config_from,
    without_prototypes,
)
from protosphere.experiments.config_files import default_config, load_config, read_toml

AXES = {
    "objectives": "objective",
    "heads": "head",
    "backbones": "backbone",
    "presets": "preset",
    "losses": "loss",
    "scales": "scale",
    "lrs": "lr",
    "schemes": "scheme",
    "prototype_counts": "num_prototypes",
    "dims": "dim",
    "temperatures": "temperature",
    "mappings": "mapping",
    "similarities": "similarity",
    "prototype_seeds": "prototype_seed",
    "split_seeds": "split_seed",
    "seeds": "seed",
}
"""Mapping from the name of each list that a grid may have to the setting that the list varies.

The runs are ordered as by nested loops over the lists in this order, with the loop over the last list innermost.
"""

NEEDED = {"prototypes": ("schemes", "dims"), "bottleneck": ("dims",), "linear": ()}
"""Mapping from each value of the setting `head` to the names of the lists that a grid with this value must have."""

ONLY_SWEPT = ("scheme", "dim", "mapping", "seed")
"""Settings that a sweep file can give only as a list, such as the list `seeds` for the setting `seed`."""

SETTINGS = set(DEFAULTS) - set(ONLY_SWEPT)
"""Settings that may have a single value in a sweep file, or in a grid for the runs of this grid."""


def load_sweep(path: Path) -> list[TrainingConfig]:
    """Return the configs of the runs that a sweep file describes, in the order of its grids and without duplicates.

    Args:
        path: TOML file with the name of a config, lists of values of its settings, and grids.

    Raises:
        InvalidArgumentError: If a key is unknown, a list is missing, or the value of a setting is not valid.
        StorageError: If the file cannot be read.
    """
    return sweep_configs(read_toml(path), str(path))


def sweep_configs(
    content: Mapping[str, Any], where: str = "the sweep"
) -> list[TrainingConfig]:
    """Return the configs that the content of a sweep file describes, in the order of its grids and without duplicates.

    Args:
        content: Parsed TOML content: the name of a config, settings that replace its settings, lists of values of
            settings such as "dims", and grids. If it names no config, the default config of the dataset is used.
        where: Name of the file, for error messages.

    Raises:
        InvalidArgumentError: If a key is unknown, a list is missing, or the value of a setting is not valid.

    Example:
        >>> from protosphere.experiments.sweep_files import sweep_configs
        >>> content = {"dataset": "digits", "schemes": ["one_hot"], "dims": [10, 16]}
        >>> [config.dim for config in sweep_configs(content)]
        [10, 16]
    """
    _check_keys(content, {*SETTINGS, *AXES, "config", "grid"}, f"'{where}'")
    dataset = str(content.get("dataset", "digits"))
    named = content.get("config") or default_config(dataset)
    base = load_config(str(named)).changed(**_settings(content))
    configs: dict[str, TrainingConfig] = {}
    for grid in _grids(content, where):
        for config in _runs(base, grid, where):
            configs.setdefault(config.digest, config)
    return list(configs.values())


def _check_keys(given: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise InvalidArgumentError(
                f"{where} has an unknown key {brief(name)}; {_key_hint(name, known)}"
            )


def _key_hint(name: str, known: set[str]) -> str:
    keys = (*AXES, *sorted(known - {*AXES}))
    near = difflib.get_close_matches(name, keys, n=1)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"it may have: {', '.join(keys)}"


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in SETTINGS}


def _grids(content: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    # settings at the top are already in the config from which the configs of all grids are made
    shared = {axis: content[axis] for axis in AXES if axis in content}
    # without a grid, the lists at the top are the only grid
    grids: Any = content.get("grid", [{}])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):  # pyright: ignore[reportUnknownVariableType]
        raise InvalidArgumentError(
            f"'{where}' must have its grids as [[grid]], got {brief(content['grid'])}"
        )
    return [shared | grid for grid in cast("list[dict[str, Any]]", grids)]


def _runs(
    base: TrainingConfig, grid: Mapping[str, Any], where: str
) -> Iterator[TrainingConfig]:
    _check_keys(grid, {*SETTINGS, *AXES} - {"dataset"}, f"'{where}' has a grid that")
    for axis in AXES:
        if axis in grid:
            _check_list(axis, grid[axis], where)
    for head in grid.get("heads", (base.head,)):
        for axis in NEEDED.get(head, ()):
            _check_list(axis, grid.get(axis), where)
        yield from _runs_of(base, head, grid)


def _runs_of(
    base: TrainingConfig, head: str, grid: Mapping[str, Any]
) -> Iterator[TrainingConfig]:
    # settings that neither `grid` nor this function gives have their values in `base`
    unused = {"head"}
    settings = base.record() | _settings(grid)
    if head in LEARNED_HEADS:
        unused.update(PROTOTYPE_SETTINGS)
        settings = without_prototypes(settings)
    settings |= {"head": head, "seed": 0}
    if head == "linear":
        unused.add("dim")  # a linear head has one output per class
        settings["dim"] = dataset_facts(base.dataset).num_classes
    axes = {
        axis: setting
        for axis, setting in AXES.items()
        if axis in grid and setting not in unused
    }
    for values in product(*(grid[axis] for axis in axes)):
        chosen = dict(zip(axes.values(), values, strict=True))
        yield config_from(settings | chosen)


def _check_list(axis: str, values: Any, where: str) -> None:
    if type(values) not in (list, tuple) or not values:
        raise InvalidArgumentError(
            f"'{where}' needs a list of {axis}, got {brief(values)}"
        )
