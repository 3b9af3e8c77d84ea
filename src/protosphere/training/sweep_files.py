"""A sweep as TOML: a recipe, and the grids of schemes, dimensions, mappings and seeds to run it over.

recipe = "quick-mnist"             # a name or a path; every setting of it may be given here too
epochs = 6
seeds = [0, 1]
[[grid]]
schemes = ["bch"]
dims = [7, 15, 31]
mappings = ["fixed", "random"]     # "fixed" unless given
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

from protosphere.errors import InvalidArgumentError, brief
from protosphere.training.recipe import Recipe
from protosphere.training.recipe_files import default_recipe, load_recipe, read_toml

AXES = ("schemes", "dims", "mappings", "seeds")
DEFAULTS: Mapping[str, Sequence[Any]] = {"mappings": ("fixed",), "seeds": (0,)}


def load_sweep(path: Path) -> list[Recipe]:
    """The recipes of every run that the file asks for, each once, in its order."""
    return planned(read_toml(path), str(path))


def planned(content: Mapping[str, Any], where: str = "the sweep") -> list[Recipe]:
    """The recipes that this content of a file asks for.

    >>> [r.dim for r in planned({"dataset": "digits", "schemes": ["one_hot"], "dims": [10, 16]})]
    [10, 16]
    """
    settings = {each.name for each in fields(Recipe)} - {"scheme", "dim", "mapping", "seed"}
    for name in content:
        if name not in {*settings, *AXES, "recipe", "grid"}:
            known = ", ".join((*AXES, "grid", "recipe", *sorted(settings)))
            raise InvalidArgumentError(f"'{where}' has an unknown key {brief(name)}; a sweep may have: {known}")
    named = content.get("recipe", default_recipe(str(content.get("dataset", "digits"))))
    base = load_recipe(str(named)).changed(**{name: content[name] for name in settings if name in content})
    grids = _grids(content, where)
    recipes = [recipe for grid in grids for recipe in _runs(base, grid, where)]
    return list({recipe.digest: recipe for recipe in recipes}.values())


def _grids(content: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    shared = {axis: content[axis] for axis in AXES if axis in content}
    grids: Any = content.get("grid", [{}])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):  # pyright: ignore[reportUnknownVariableType]
        raise InvalidArgumentError(f"'{where}' must have its grids as [[grid]], got {brief(content['grid'])}")
    joined: list[dict[str, Any]] = [{**DEFAULTS, **shared, **grid} for grid in grids]  # pyright: ignore[reportUnknownVariableType]
    return joined


def _runs(base: Recipe, grid: Mapping[str, Any], where: str) -> Iterator[Recipe]:
    for axis in grid:
        if axis not in AXES:
            raise InvalidArgumentError(
                f"'{where}' has a grid with an unknown key {brief(axis)}; want {', '.join(AXES)}"
            )
    for axis in AXES:
        if not isinstance(grid.get(axis), (list, tuple)) or not grid[axis]:
            raise InvalidArgumentError(f"'{where}' needs a list of {axis}, got {brief(grid.get(axis))}")
    for scheme, dim, mapping, seed in product(*(grid[axis] for axis in AXES)):
        yield base.changed(scheme=scheme, dim=dim, mapping=mapping, seed=seed)
