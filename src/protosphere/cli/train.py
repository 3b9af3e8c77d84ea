"""Command `protosphere train`, which does one training run and shows its progress on standard error.

The config of a run holds all its settings. The record of the run holds the config, the status and the results. The
store is a folder of records. A Lightning Fabric is an object that manages the devices and processes of a run.

On a terminal, the progress is one line that is updated. Otherwise one line is printed for each epoch.

The function of the command has these arguments, whose help texts are not in its docstring:

- `settings` has the settings that the user gave as flags. They replace settings of the config.
- `data_dir` is the folder that is searched first for the dataset. If it is None, only the default folders are searched.
- `json` is True to print JSON, and False to print text.
"""

import json as json_module
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import protosphere as ps
from protosphere.cli.arguments import (
    DEFAULT_STORE,
    DataDir,
    Flag,
    Json,
    StoreFolder,
    Whole,
)
from protosphere.cli.config_options import NOTHING, OPTIONS, Settings, resolved
from protosphere.cli.finished_runs import metric_label, shown
from protosphere.cli.screen import print_json, print_lines, print_summary
from protosphere.data import Dataset, load_dataset
from protosphere.errors import ProtosphereError, TrainingError, as_integer
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.epochs import EpochMetrics, Report, Tick, read_metrics
from protosphere.experiments.processes import is_first_process
from protosphere.experiments.record import RunRecord, record_from
from protosphere.experiments.store import Store
from protosphere.experiments.sweep import pending
from protosphere.terminal import error_console
from protosphere.types import ignore


def train(
    dataset: str | None = None,
    /,
    *,
    config: str | None = None,
    settings: Settings = NOTHING,
    data_dir: DataDir = None,
    store: StoreFolder = DEFAULT_STORE,
    accelerator: str = "auto",
    devices: Whole = 1,
    dry_run: Flag = False,
    json: Json = False,
) -> None:
    """Train a network with fixed prototypes or a learned head.

    If the command is interrupted, the same command continues where it stopped.

    Args:
        dataset: Name of a dataset, such as digits, mnist or cifar100-features, or the path of an .npz file.
            The default is the dataset of --config.
        config: Name of a config, such as paper-mnist or quick-mnist, or the path of a .toml file.
            The default is the quick config of the dataset.
        store: Folder of the runs, which `sweep`, `report` and `paired` also use. Finished runs there are not repeated.
        accelerator: Kind of device: cpu, cuda, mps or auto.
        devices: Number of devices. Each device has a process, which handles its part of each batch.
        dry_run: Print all settings of the run as a config, and do not train.
    """
    plan = resolved(dataset, config, settings)
    as_integer("devices", devices, minimum=1)
    if dry_run:
        show_config(plan, json=json)
        return
    with ps.progress_bar() as progress:
        images = load_dataset(plan.dataset, data_dir=data_dir, progress=progress)
    place = Store(store or DEFAULT_STORE)
    folder = place.work_folder(plan.digest)
    try:
        record = stored_or_trained(plan, images, place, accelerator, devices)
    except KeyboardInterrupt:
        done = len(read_metrics(folder))
        error_console().print(
            f"{done} of {plan.epochs} epochs are done; the same command goes on from there"
        )
        raise
    if record is None:
        return
    if json:
        print_json(json_module.loads(record.to_json()) | {"folder": str(folder)})
    else:
        show_record(record, folder, images)


def stored_or_trained(
    plan: TrainingConfig,
    images: Dataset,
    place: Store,
    accelerator: str,
    devices: int,
) -> RunRecord | None:
    """Return the record of a run. If the store has no record of the finished run, the network is trained.

    Args:
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
        images: Training and test examples of the run.
        place: Store with the records of the runs.
        accelerator: Kind of device: cpu, cuda, mps or auto.
        devices: Number of devices.

    Returns:
        The record. If the run has several processes, only the first process gets it; the others get None.
    """
    todo = pending([plan], place, images, retry_failed=True)
    record = place.get(plan.digest)
    if todo or record is None or record.status != "done":
        folder = place.work_folder(plan.digest)
        record = trained(plan, images, folder, accelerator, devices)
        if record is not None:
            place.finish(record)
        return record
    return record if is_first_process() else None


def trained(
    plan: TrainingConfig, images: Dataset, folder: Path, accelerator: str, devices: int
) -> RunRecord | None:
    """Train a network with the settings of a run, and return the record of the run.

    Args:
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
        images: Training and test examples of the run.
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        accelerator: Kind of device: cpu, cuda, mps or auto.
        devices: Number of devices, with one process each.

    Returns:
        The record. If the run has several processes, only the first process gets it; the others get None.

    Raises:
        TrainingError: If training fails.
    """
    from protosphere.experiments.devices import make_fabric
    from protosphere.experiments.processes import end_children

    fabric = make_fabric(accelerator, plan.precision, devices)
    if devices == 1:
        fabric.launch()
        return run_on_screen(fabric, plan, images, folder)
    run = partial(text_of_run, plan=plan, images=images, folder=folder)
    try:
        answer = fabric.launch(run)
    except KeyboardInterrupt:
        end_children()
        raise
    if not answer:
        return None
    if "error" in answer:
        raise TrainingError(answer["error"])
    return record_from(answer, str(folder))


def text_of_run(
    fabric: Any, plan: TrainingConfig, images: Dataset, folder: Path
) -> dict[str, Any] | None:
    """Train a network in one of several processes, and return the result as a dictionary for the parent process.

    Args:
        fabric: Lightning Fabric of this process.
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
        images: Training and test examples of the run.
        folder: Folder for the checkpoint, the metrics and the weights of the run.

    Returns:
        If the run fails, the dictionary {"error": message}. Otherwise, the first process returns the record of the run
        as a dictionary, and the other processes return None.
    """
    from protosphere.experiments.devices import leave_together
    from protosphere.experiments.processes import end_with_parent

    end_with_parent()

    try:
        record = run_on_screen(fabric, plan, images, folder)
    except ProtosphereError as error:
        return {"error": str(error)}
    leave_together(fabric)
    return record and json_module.loads(record.to_json())


def run_on_screen(
    fabric: Any, plan: TrainingConfig, images: Dataset, folder: Path
) -> RunRecord | None:
    """Train a network in this process, and show the progress.

    If several processes share the run, only the first process shows the progress.

    Args:
        fabric: Lightning Fabric of this process.
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
        images: Training and test examples of the run.
        folder: Folder for the checkpoint, the metrics and the weights of the run.

    Returns:
        The record. If the run has several processes, only the first process gets it; the others get None.

    Raises:
        TrainingError: If training fails with an error other than OSError, MemoryError or an error of protosphere. Those
            errors are raised unchanged.
    """
    from protosphere.experiments.run import reason_of, run

    with training_screen(plan, len(images.x_train), visible=fabric.is_global_zero) as (
        report,
        tick,
    ):
        try:
            record = run(plan, images, folder, fabric, report=report, tick=tick)
        except (ProtosphereError, OSError, MemoryError):
            raise
        except Exception as error:  # a network of the user's may raise anything
            raise TrainingError(f"the run failed: {reason_of(error)}") from error
    return record if fabric.is_global_zero else None


def show_config(plan: TrainingConfig, *, json: bool) -> None:
    """Print all settings of a run in the format of a .toml file, which can be given as the value of `--config`.

    Args:
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
        json: Whether to print JSON instead of this format.
    """
    if json:
        print_json({"digest": plan.digest} | plan.record())
        return
    settings = plan.record()
    tables = {name: settings.pop(name) for name in OPTIONS}
    print_lines([f"# digest {plan.digest}", *toml_lines(settings)])
    for name, table in tables.items():
        if table:
            print_lines([f"[{name}]", *toml_lines(table)])


def toml_lines(table: dict[str, Any]) -> list[str]:
    """Return a line `name = value` in TOML format for each entry of a dictionary.

    Args:
        table: Names and values; the values are texts, numbers, booleans or lists of them.
    """
    return [f"{name} = {json_module.dumps(value)}" for name, value in table.items()]


def show_record(record: RunRecord, folder: Path, images: Dataset) -> None:
    """Print the accuracies, the other metrics, the speed and the folder of a finished run.

    Args:
        record: Record of the run.
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        images: Training and test examples of the run.
    """
    plan = record.config
    lines = [("test accuracy", shown("test_accuracy", record.test_accuracy or 0.0))]
    if record.validation_accuracy is not None:
        accuracy = shown("validation_accuracy", record.validation_accuracy)
        lines.append(("validation accuracy", accuracy))
    for name, value in record.metrics.items():
        if value is not None:
            lines.append((metric_label(name), shown(name, value)))
    if plan.has_prototype_per_image:
        from protosphere.experiments.self_supervised import num_prototypes

        count = num_prototypes(plan, images)
        lines.append(("prototypes", f"{count}, one for each training image"))
    if record.max_cosine is not None:
        lines.append(("max cosine", f"{record.max_cosine:.6g}"))
    if record.images_per_second:
        speed = f"{record.images_per_second:,.0f} images/s"
        text = f"{plan.epochs} epochs, {record.seconds:.0f} s, {speed}"
        lines.append(("training", text))
    lines.append(("folder", str(folder)))
    print_summary(f"{plan.dataset}: {plan.title}", lines)


@contextmanager
def training_screen(
    plan: TrainingConfig, images: int, *, visible: bool
) -> Generator[tuple[Report, Tick]]:
    """Return a context manager that shows the progress of a run on standard error and yields two functions.

    The first function must be called after each epoch with the metrics of the epoch. The second function must be called
    after each batch with the number of images in the batch.

    Args:
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
        images: Number of training examples of the dataset.
        visible: Whether to show the progress. If false, the two functions do nothing.
    """
    console = error_console()
    if not visible:
        yield ignore, ignore
    elif not console.is_terminal:
        yield (
            lambda metrics: console.print(epoch_line(metrics, plan), soft_wrap=True),
            ignore,
        )
    else:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console) as bar:
            used = plan.train_images or images
            each = used - round(plan.validation * used)
            task = bar.add_task(f"epoch 1/{plan.epochs}", total=plan.epochs * each)

            def report(metrics: EpochMetrics) -> None:
                bar.update(
                    task,
                    description=epoch_line(metrics, plan),
                    completed=metrics.epoch * each,
                )

            yield report, lambda count: bar.advance(task, count)


def epoch_line(metrics: EpochMetrics, plan: TrainingConfig) -> str:
    """Return one line of text with the loss, the accuracy and the speed of an epoch, and the remaining time.

    Args:
        metrics: Metrics of the epoch.
        plan: Settings of the run: dataset, backbone, scheme, loss and optimization.
    """
    if metrics.validation_accuracy is None:
        accuracy = metrics.train_accuracy
    else:
        accuracy = metrics.validation_accuracy
    left = (plan.epochs - metrics.epoch) * metrics.seconds
    return (
        f"epoch {metrics.epoch}/{plan.epochs}  loss {metrics.loss:.4f}  accuracy {100 * accuracy:.2f} %"
        f"  {metrics.images_per_second:,.0f} images/s  {left:.0f} s left"
    )
