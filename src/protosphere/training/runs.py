"""From a recipe to its record: build the prototypes, train, and say in one sentence why where that is not possible."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import protosphere as ps
from protosphere.data import Dataset
from protosphere.errors import InfeasibleError, ProtosphereError, StorageError
from protosphere.files import replace_bytes
from protosphere.training.metrics import Report, Tick
from protosphere.training.recipe import Recipe
from protosphere.training.records import RunRecord
from protosphere.types import ignore

WEIGHTS_FILE = "weights.safetensors"


def prototypes_of(recipe: Recipe, num_classes: int) -> ps.SphericalCode:
    """The prototypes of a run; InfeasibleError where the scheme has none."""
    return ps.construct(
        recipe.scheme,
        num_classes=num_classes,
        dim=recipe.dim,
        seed=recipe.seed,
        mapping=recipe.mapping,
        **recipe.options,
    )


def run(
    recipe: Recipe,
    dataset: Dataset,
    folder: Path,
    fabric: Any,
    *,
    report: Report = ignore,
    tick: Tick = ignore,
    tensorboard: bool = True,
) -> RunRecord:
    """Train and keep the weights; errors are raised. The weights go into `folder`, beside the checkpoint."""
    from protosphere.training.checkpoint import weights_digest
    from protosphere.training.training import train

    code = prototypes_of(recipe, dataset.num_classes)
    made_folder(folder)
    outcome = train(recipe, code, dataset, folder, fabric, report=report, tick=tick, tensorboard=tensorboard)
    if fabric.is_global_zero:
        _save_weights(folder, outcome.weights)
    last = outcome.history[-1] if outcome.history else None
    seconds = sum(metrics.seconds for metrics in outcome.history)
    images = sum(metrics.seconds * metrics.images_per_second for metrics in outcome.history)
    return RunRecord(
        recipe,
        "done",
        test_accuracy=outcome.test_accuracy,
        validation_accuracy=last and last.validation_accuracy,
        loss=last and last.loss,
        max_cosine=float(code.max_cosine),
        converse=float(code.certificate.converse.value),
        images_per_second=images / seconds if seconds else None,
        seconds=seconds,
        weights=weights_digest(outcome.weights),
        data=dataset.digest,
        version=f"{ps.__version__}, torch {import_module('torch').__version__}",
    )


def run_or_reason(recipe: Recipe, dataset: Dataset, folder: Path, fabric: Any, *, report: Report = ignore) -> RunRecord:
    """`run`, but what cannot be done is a record too; only a store that cannot be written to is an error."""
    try:
        return run(recipe, dataset, folder, fabric, report=report, tensorboard=False)
    except InfeasibleError as obstacle:
        return RunRecord(recipe, "infeasible", str(obstacle), data=dataset.digest)
    except StorageError:
        raise
    except (ProtosphereError, RuntimeError, ValueError, TypeError, MemoryError) as error:
        sentence = (str(error) or type(error).__name__).splitlines()[0]
        return RunRecord(recipe, "failed", sentence, data=dataset.digest)


def made_folder(folder: Path) -> Path:
    """`folder`, made where there is none; StorageError in one sentence where it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder '{folder}': {error.strerror or error}") from error
    return folder


def _save_weights(folder: Path, weights: dict[str, Any]) -> None:
    packed: bytes = import_module("safetensors.torch").save(
        {name: tensor.contiguous() for name, tensor in weights.items()}
    )
    replace_bytes(folder / WEIGHTS_FILE, packed)
