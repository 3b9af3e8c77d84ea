"""Prototypes that depend on the training examples: given to classes by similarity, or moved in a rehearsal; then fixed.

They are kept in the run's folder, and read from there when it goes on.
"""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import protosphere as ps
from protosphere.assignment import assign
from protosphere.assignment.similarity import similarity_text
from protosphere.constructions import describe
from protosphere.data import Dataset
from protosphere.errors import StorageError
from protosphere.training.class_similarity import WARMUP_FOLDER, class_similarity
from protosphere.training.recipe import ALIGNED, Recipe
from protosphere.training.rehearsal import REHEARSAL_FOLDER, rehearsed
from protosphere.training.runs import constructed

PROTOTYPES_FILE = "prototypes.safetensors"


def fitted_prototypes(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any) -> ps.SphericalCode:
    """The prototypes of a recipe that fits them; made once, and kept in `folder`."""
    path = folder / PROTOTYPES_FILE
    if path.exists():
        return _kept(path, recipe)
    if recipe.mapping in ALIGNED:
        code = _by_similarity(recipe, dataset, folder, fabric)
    else:
        code = constructed(recipe, dataset.num_classes, dataset.class_names)
    if recipe.rehearsal:
        code = rehearsed(recipe, code, dataset, folder, fabric)
    if fabric.is_global_zero:
        code.save(path)
        for used in (WARMUP_FOLDER, REHEARSAL_FOLDER):
            shutil.rmtree(folder / used, ignore_errors=True)
    return code


def _by_similarity(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any) -> ps.SphericalCode:
    similarity = class_similarity(recipe, dataset, folder, fabric)
    build = partial(constructed, recipe, dataset.num_classes, dataset.class_names)
    if "similarity" in describe(recipe.scheme).options:
        return build(similarity=similarity_text(similarity if recipe.mapping == "align" else -similarity))
    return assign(build(), similarity, recipe.mapping, seed=recipe.seed_of_prototypes)


def _kept(path: Path, recipe: Recipe) -> ps.SphericalCode:
    code = ps.load(path)
    if code.dim != recipe.dim:
        raise StorageError(f"'{path}' holds prototypes of dim {code.dim}, and the recipe has {recipe.dim}; remove it")
    return code
