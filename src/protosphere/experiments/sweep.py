"""Do the runs of many configs, which are called a sweep.

A config holds all settings of a run. The record of a run holds its config, its status and its results. A store is a
folder of records.

An engine is a function that does runs in this process, in worker processes or on a cluster. A sweep passes the runs
that are not finished yet to an engine.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from protosphere.data import Dataset
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.record import RunRecord
from protosphere.experiments.run import run_or_reason
from protosphere.experiments.store import Store
from protosphere.extras import require
from protosphere.types import ignore

Watch = Callable[[Sequence[TrainingConfig]], None]
"""Type of a function that is called repeatedly during a sweep, with the configs of the runs in progress."""


@dataclass(frozen=True)
class Work:
    """Input of an engine: the runs to do, with the dataset, folders and device for them.

    Attributes:
        configs: Configs of the runs to do.
        dataset: Dataset of all runs.
        data_dir: Folder in which worker processes look for the dataset first. If it is None, they look in
            $PROTOSPHERE_DATA and in the user's cache.
        store: Folder on disk in which the runs keep their checkpoints and results.
        watch: Function that the engine calls repeatedly with the configs of the runs in progress.
        accelerator: Kind of device for training: auto, cpu, cuda, gpu or mps.
    """

    configs: Sequence[TrainingConfig]
    dataset: Dataset
    data_dir: Path | None
    store: Store
    watch: Watch
    accelerator: str


Engine = Callable[[Work], Iterator[RunRecord]]
"""Type of a function that does the runs of a `Work` and yields the record of each run when it ends."""


def pending(
    configs: Iterable[TrainingConfig],
    store: Store,
    dataset: Dataset,
    *,
    retry_failed: bool = False,
) -> list[TrainingConfig]:
    """Return the configs of the runs that are still to do: the store has no record of them, or an outdated one.

    A record is outdated if it was made with another dataset.

    Args:
        configs: Configs of all runs.
        store: Store with the records of runs that have ended.
        dataset: Training and test examples of the runs.
        retry_failed: Whether a run is also to do if its record says that it failed.
    """
    found = ((config, store.get(config.digest)) for config in configs)
    again = ("failed",) if retry_failed else ()
    return [
        config
        for config, record in found
        if record is None
        or record.status in again
        or record.data not in (None, dataset.digest)
    ]


def sweep(
    configs: Sequence[TrainingConfig],
    dataset: Dataset,
    store: Store,
    engine: Engine,
    *,
    data_dir: Path | None = None,
    retry_failed: bool = False,
    watch: Watch = ignore,
    accelerator: str = "auto",
) -> Iterator[RunRecord]:
    """Do every run that is not finished yet, and yield the record of each run after it is stored.

    A sweep can be interrupted at any time, even by kill -9, and started again. Finished runs are in the store and are
    not repeated. An unfinished run continues from its last checkpoint.

    Args:
        configs: Configs of all runs.
        dataset: Training and test examples of the runs.
        store: Store for the records.
        engine: Function that does the runs, such as `in_this_process`.
        data_dir: Folder in which worker processes look for the dataset first. If it is None, they look in
            $PROTOSPHERE_DATA and in the user's cache.
        retry_failed: Whether to repeat failed runs, too.
        watch: Function that is called repeatedly with the configs of the runs in progress.
        accelerator: Kind of device for training: auto, cpu, cuda, gpu or mps.

    Raises:
        StorageError: If another sweep writes to the store.
    """
    require("lightning_fabric")  # here, not in a worker
    with store.locked():
        todo = pending(configs, store, dataset, retry_failed=retry_failed)
        for record in engine(Work(todo, dataset, data_dir, store, watch, accelerator)):
            store.finish(record)
            yield record


def in_this_process(work: Work) -> Iterator[RunRecord]:
    """Do one run after another in this process, and yield the record of each run when it ends.

    Args:
        work: The configs of the runs to do, with the dataset, store and device for them.
    """
    for config in work.configs:
        watch = partial(work.watch, [config])
        folder = work.store.work_folder(config.digest)
        watch()
        yield run_or_reason(config, work.dataset, folder, work.accelerator, watch)
