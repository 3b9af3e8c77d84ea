"""A sweep as TOML: a config, and the grids of heads, schemes, dimensions, mappings and seeds to run it over.

config = "quick-mnist"             # a name or a path; every setting of it may be given here too
epochs = 6
seeds = [0, 1]
[[grid]]
schemes = ["bch"]
dims = [7, 15, 31]
mappings = ["fixed", "random"]     # "fixed" unless given
weight_decay = 0                   # every setting may be a grid's own, too
[[grid]]
heads = ["linear", "bottleneck"]   # "prototypes" unless given; a learned layer has no schemes, and K dims
dims = [15]
"""

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
    "heads": "head",
    "backbones": "backbone",
    "presets": "preset",
    "losses": "loss",
    "scales": "scale",
    "lrs": "lr",
    "schemes": "scheme",
    "dims": "dim",
    "mappings": "mapping",
    "similarities": "similarity",
    "prototype_seeds": "prototype_seed",
    "split_seeds": "split_seed",
    "seeds": "seed",
}
"""What a grid may have lists of, and the setting that each is of; the last runs fastest."""

NEEDED = {"prototypes": ("schemes", "dims"), "bottleneck": ("dims",), "linear": ()}
"""The lists that a head cannot do without."""

ONLY_SWEPT = ("scheme", "dim", "mapping", "seed")
"""Settings that a sweep has as lists alone."""

SETTINGS = set(DEFAULTS) - set(ONLY_SWEPT)
"""Those that the file, or a grid for its own runs, may give as they are."""


def load_sweep(path: Path) -> list[TrainingConfig]:
    """The configs of every run that the file asks for, each once, in its order."""
    return sweep_configs(read_toml(path), str(path))


def sweep_configs(
    content: Mapping[str, Any], where: str = "the sweep"
) -> list[TrainingConfig]:
    """The configs that this content of a file asks for.

    >>> [r.dim for r in sweep_configs({"dataset": "digits", "schemes": ["one_hot"], "dims": [10, 16]})]
    [10, 16]
    """
    _check_keys(content, {*SETTINGS, *AXES, "config", "grid"}, f"'{where}'")
    named = content.get("config") or default_config(
        str(content.get("dataset", "digits"))
    )
    base = load_config(str(named)).changed(**_settings(content))
    configs = [
        config for grid in _grids(content, where) for config in _runs(base, grid, where)
    ]
    return list({config.digest: config for config in configs}.values())


def _check_keys(given: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in given:
        if name not in known:
            offered = ", ".join((*AXES, *sorted(known - {*AXES})))
            raise InvalidArgumentError(
                f"{where} has an unknown key {brief(name)}; it may have: {offered}"
            )


def _settings(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in SETTINGS}


def _grids(content: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    shared = {axis: content[axis] for axis in AXES if axis in content}
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
    """The runs of one head: what it has no use for is left at its default, so that each run comes once."""
    unused = (
        "head",
        *(PROTOTYPE_SETTINGS if head in LEARNED_HEADS else ()),
        *(("dim",) if head == "linear" else ()),
    )
    axes = {
        axis: setting
        for axis, setting in AXES.items()
        if axis in grid and setting not in unused
    }
    own = base.record() | _settings(grid)
    settings = (without_prototypes(own) if head in LEARNED_HEADS else own) | {
        "head": head,
        "seed": 0,
    }
    if head == "linear":
        settings["dim"] = dataset_facts(base.dataset).num_classes
    for values in product(*(grid[axis] for axis in axes)):
        yield config_from(settings | dict(zip(axes.values(), values, strict=True)))


def _check_list(axis: str, values: Any, where: str) -> None:
    if type(values) not in (list, tuple) or not values:
        raise InvalidArgumentError(
            f"'{where}' needs a list of {axis}, got {brief(values)}"
        )
