"""Prototypes given to classes by what is seen of these in training: similar classes get near ones, and keep them.

How similar classes are is the cosine of their centred means: of the inputs themselves where they are features, else of
the logits of the same network after one epoch with a learned layer. Only training examples are looked at. Or the recipe
says where similarity comes from instead: 'learned' is the cosine of what a layer after as many numbers learns for them
in half of the epochs. Schemes that are designed for a similarity get it; the points of others are assigned by it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch

import protosphere as ps
from protosphere.assignment import assign, similarity_from_embeddings, similarity_from_table, taxonomy
from protosphere.assignment.similarity import similarity_text
from protosphere.assignment.taxonomy import SHIPPED
from protosphere.constructions import describe
from protosphere.data import Dataset
from protosphere.data.folders import found_in_roots
from protosphere.errors import StorageError
from protosphere.geometry.sphere import normalized
from protosphere.training.batches import DeviceData, device_data
from protosphere.training.recipe import Recipe, recipe_from, without_prototypes
from protosphere.types import Points

PROTOTYPES_FILE = "prototypes.safetensors"
WARMUP_FOLDER = "warm-up"
WARMUP_RATE = 2.0
MEANS_BATCH = 1000


def aligned_prototypes(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any) -> ps.SphericalCode:
    """The prototypes of a recipe whose mapping is 'align' or 'oppose'; kept in `folder`, and read from there again."""
    path = folder / PROTOTYPES_FILE
    if path.exists():
        return _kept(path, recipe)
    similarity = class_similarity(recipe, dataset, folder, fabric)
    if "similarity" in describe(recipe.scheme).options:
        similarity = similarity if recipe.mapping == "align" else -similarity
        code = _constructed(recipe, dataset.num_classes, similarity=similarity_text(similarity))
    else:
        code = assign(_constructed(recipe, dataset.num_classes), similarity, recipe.mapping, seed=recipe.seed)
    if fabric.is_global_zero:
        code.save(path)
        shutil.rmtree(folder / WARMUP_FOLDER, ignore_errors=True)
    return code


def class_similarity(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any) -> Points:
    """How similar the classes are: by what is seen of them, by a tree, or by a file with a vector for each."""
    if recipe.similarity == "seen":
        return similarity_from_embeddings(measured_class_means(recipe, dataset, folder, fabric))
    if recipe.similarity == "learned":
        return _cosines(_learned_bottleneck(recipe, dataset, folder, fabric).head.weight)
    if recipe.similarity in SHIPPED:
        return taxonomy(recipe.similarity).of(dataset.class_names).similarity()
    return similarity_from_table(found_in_roots(Path(recipe.similarity)), dataset.class_names)


def measured_class_means(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any) -> Points:
    """The mean of each class, one per row: of features, or of the logits after an epoch with a learned layer."""
    data = device_data(dataset, recipe, fabric.device)
    if dataset.is_features:
        return _means(torch.nn.Identity(), data, dataset.num_classes)
    epochs = min(1, recipe.epochs)
    trained = _warmed_up(recipe, dataset, folder, fabric, head="linear", dim=dataset.num_classes, epochs=epochs)
    return _means(trained.backbone.eval(), data, dataset.num_classes)


def _learned_bottleneck(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any) -> Any:
    """After half of the epochs, at twice the rate: fixed prototypes want less of it than a layer that moves itself."""
    settings: dict[str, Any] = {"epochs": (recipe.epochs + 1) // 2, "lr": WARMUP_RATE * recipe.lr}
    return _warmed_up(recipe, dataset, folder, fabric, head="bottleneck", dim=recipe.dim, **settings)


def _warmed_up(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any, **changed: Any) -> Any:
    """The classifier after a short training with a learned head."""
    from protosphere.training.training import train

    settings = without_prototypes(recipe.record()) | {"warmup": 0.0} | changed
    where = folder / WARMUP_FOLDER
    where.mkdir(parents=True, exist_ok=True)
    return train(recipe_from(settings), None, dataset, where, fabric, tensorboard=False).classifier


def _cosines(rows: torch.Tensor) -> Points:
    units = normalized(rows.detach().double().cpu().numpy())
    return units @ units.T


def _means(network: Any, data: DeviceData, num_classes: int) -> Points:
    sums, counts = None, torch.bincount(data.train.labels, minlength=num_classes)
    with torch.no_grad():
        for start in range(0, len(data.train), MEANS_BATCH):
            some = slice(start, start + MEANS_BATCH)
            seen = network(data.normalised(data.train.inputs[some])).double().flatten(1)
            sums = seen.new_zeros(num_classes, seen.shape[1]) if sums is None else sums
            sums.index_add_(0, data.train.labels[some], seen)
    assert sums is not None, "there are training examples"
    return (sums / counts.clamp(min=1)[:, None]).cpu().numpy()


def _constructed(recipe: Recipe, num_classes: int, **options: Any) -> ps.SphericalCode:
    chosen = dict(recipe.options) | options
    return ps.construct(recipe.scheme, num_classes=num_classes, dim=recipe.dim, seed=recipe.seed, **chosen)


def _kept(path: Path, recipe: Recipe) -> ps.SphericalCode:
    code = ps.load(path)
    if code.dim != recipe.dim:
        raise StorageError(f"'{path}' holds prototypes of dim {code.dim}, and the recipe has {recipe.dim}; remove it")
    return code
