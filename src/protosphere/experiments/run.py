"""Do one run: build the prototypes, train a network on them, and return the record of the run.

The config of a run holds all its settings. The record holds the config, the status and the results. If the run fails,
the record contains the reason.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import protosphere as ps
from protosphere.data import Dataset
from protosphere.errors import InfeasibleError, ProtosphereError, StorageError
from protosphere.experiments.config import ALIGNED_MAPPINGS, TrainingConfig
from protosphere.experiments.epochs import Report, Tick
from protosphere.experiments.record import FIGURES, RunRecord
from protosphere.storage.files import locked, make_folder
from protosphere.types import ignore


def constructed(
    config: TrainingConfig,
    num_classes: int,
    class_names: Sequence[str] = (),
    **options: str,
) -> ps.SphericalCode:
    """Return the code (one unit vector per class) that the scheme of a config builds.

    If the mapping of the config is `align` or `oppose`, the points are returned in the order in which the scheme builds
    them, and the caller must match them to the classes.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        num_classes: Number of classes.
        class_names: Names of the classes in the order of the dataset. If the scheme has a class tree as its option
            `tree`, and the tree contains at least one of these names, the leaves of the tree are put into this order.
            Otherwise the names are not used.
        options: Further options of the scheme. They replace options of the config with the same names.
    """
    mapping = "fixed" if config.mapping in ALIGNED_MAPPINGS else config.mapping
    own = dict(config.scheme_options)
    tree = ps.taxonomy(own["tree"]) if own.get("tree") else None
    if tree is not None and set(tree.classes) & set(class_names):
        own["tree"] = tree.of(class_names).text  # its classes in the order of the data
    chosen = json.dumps(own | options)
    return _constructed(
        config.scheme,
        num_classes,
        config.dim,
        config.seed_of_prototypes,
        mapping,
        chosen,
    )


@lru_cache(maxsize=8)  # many runs of a sweep have the same code
def _constructed(
    scheme: str, num_classes: int, dim: int, seed: int, mapping: str, options: str
) -> ps.SphericalCode:
    return ps.construct(
        scheme,
        num_classes=num_classes,
        dim=dim,
        seed=seed,
        mapping=mapping,
        **json.loads(options),
    )


def run(
    config: TrainingConfig,
    dataset: Dataset,
    folder: Path,
    fabric: Any,
    *,
    report: Report = ignore,
    tick: Tick = ignore,
    tensorboard: bool = True,
    watched: bool = True,
) -> RunRecord:
    """Train a network with the settings of a config, write its weights to `folder`, and return the record of the run.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset to train on.
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        fabric: Lightning Fabric object, which determines the device and the processes.
        report: Function that is called after each epoch with the metrics of the epoch, only in the first process.
        tick: Function that is called after each batch with the number of images in the batch.
        tensorboard: Whether to write the metrics for TensorBoard if it is installed.
        watched: Whether to compute the validation accuracy after each epoch. If false, it is computed after the last
            epoch only.

    Raises:
        InvalidArgumentError: If the checkpoint in `folder` belongs to another config or to other data.
        InfeasibleError: If the scheme has no code of this size.
        StorageError: If another process trains in the folder, or a file cannot be read or written.
        TrainingError: If the loss is not finite.
    """
    given = config.head == "prototypes" and not config.fits_prototypes
    if given:
        code = constructed(
            config, _num_prototypes(config, dataset), dataset.class_names
        )
    else:
        code = None
    make_folder(folder)
    with locked(folder, "run") if fabric.is_global_zero else nullcontext():
        from protosphere.experiments.loop import train
        from protosphere.experiments.models import save_model
        from protosphere.experiments.prototype_fitting import fitted_prototypes

        if config.fits_prototypes:
            code = fitted_prototypes(config, dataset, folder, fabric)
        told: dict[str, Any] = {
            "report": report,
            "tick": tick,
            "tensorboard": tensorboard,
            "watched": watched,
        }
        outcome = train(config, code, dataset, folder, fabric, **told)
        if fabric.is_global_zero:
            save_model(folder, config, dataset, outcome.classifier, outcome.normalized)
        return _record(config, code, dataset, outcome)


def _num_prototypes(config: TrainingConfig, dataset: Dataset) -> int:
    if not config.is_self_supervised:
        return dataset.num_classes
    from protosphere.experiments.self_supervised import num_prototypes

    return num_prototypes(config, dataset)


def _record(
    config: TrainingConfig,
    code: ps.SphericalCode | None,
    dataset: Dataset,
    outcome: Any,
) -> RunRecord:
    from protosphere.experiments.checkpoint import weights_digest
    from protosphere.experiments.code_metrics import code_metrics

    last = outcome.history[-1] if outcome.history else None
    seconds = sum(metrics.seconds for metrics in outcome.history)
    images = sum(
        metrics.seconds * metrics.images_per_second for metrics in outcome.history
    )
    metrics = {
        name: value for name, value in outcome.metrics.items() if name not in FIGURES
    }  # accuracies have fields
    return RunRecord(
        config,
        "done",
        test_accuracy=outcome.metrics["test_accuracy"],
        validation_accuracy=last and last.validation_accuracy,
        loss=last and last.loss,
        max_cosine=None if code is None else float(code.max_cosine),
        converse=None if code is None else float(code.certificate.converse.value),
        images_per_second=images / seconds if seconds else None,
        seconds=seconds,
        weights=weights_digest(outcome.classifier.learned()),
        data=dataset.digest,
        version=f"{ps.__version__}, torch {import_module('torch').__version__}",
        metrics=metrics | (code_metrics(code, dataset) if code is not None else {}),
    )


def run_or_reason(
    config: TrainingConfig,
    dataset: Dataset,
    folder: Path,
    accelerator: str,
    watch: Callable[[], None] = ignore,
) -> RunRecord:
    """Train a network with the settings of a config, and return a record even if the training fails.

    If the training succeeds, the weights of the network are written to `folder`. The record has one of these statuses:

    - "done" if the training succeeds,
    - "infeasible" if the scheme has no code of this size (an InfeasibleError); the record contains the reason,
    - "failed" if any other error except a StorageError is raised; the record contains the reason.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset to train on.
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        accelerator: Kind of device: auto, cpu, cuda, gpu or mps.
        watch: Function that is called without arguments after each epoch.

    Raises:
        InvalidArgumentError: If the machine does not have the device.
        StorageError: If another process trains in the folder, or a file cannot be read or written.
    """
    from protosphere.experiments.devices import make_fabric

    fabric = make_fabric(accelerator, config.precision)
    try:
        return run(
            config,
            dataset,
            folder,
            fabric,
            report=lambda _: watch(),
            tensorboard=False,
            watched=False,
        )
    except InfeasibleError as error:
        return RunRecord(config, "infeasible", str(error), data=dataset.digest)
    except StorageError:
        raise
    except Exception as error:  # a network of the user's may raise anything
        return RunRecord(config, "failed", reason_of(error), data=dataset.digest)


def reason_of(error: Exception) -> str:
    """Return the first line of the message of an error.

    Unless the error is a `ProtosphereError`, the name of its type comes before the message.
    """
    said = " ".join(str(error).splitlines()[:1])
    if isinstance(error, ProtosphereError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
