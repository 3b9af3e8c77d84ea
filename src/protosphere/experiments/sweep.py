"""Sweeps: many runs, of which finished ones are skipped and the others are given to an engine."""

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
"""Called every moment with the runs that are being worked on."""


@dataclass(frozen=True)
class Work:
    """The input of an engine: runs to do, their dataset and where other processes find it, and the store."""

    configs: Sequence[TrainingConfig]
    dataset: Dataset
    data_dir: Path | None
    store: Store
    watch: Watch
    accelerator: str


Engine = Callable[[Work], Iterator[RunRecord]]
"""Does the work and hands out each record once, as it comes."""


def pending(
    configs: Iterable[TrainingConfig],
    store: Store,
    dataset: Dataset,
    *,
    retry_failed: bool = False,
) -> list[TrainingConfig]:
    """Return the runs to do: those without a record, with a record of other data, or, if asked for, that failed."""
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
    """Do every run that is not done, and yield each record once it is stored.

    A sweep can be interrupted at any time, even by kill -9, and called again: finished runs are in the store, and an
    unfinished run continues from its last checkpoint.
    """
    require("lightning_fabric")  # here, not in a worker
    with store.locked():
        todo = pending(configs, store, dataset, retry_failed=retry_failed)
        for record in engine(Work(todo, dataset, data_dir, store, watch, accelerator)):
            store.finish(record)
            yield record


def in_this_process(work: Work) -> Iterator[RunRecord]:
    """Run one run after another in this process."""
    for config in work.configs:
        watch = partial(work.watch, [config])
        folder = work.store.work_folder(config.digest)
        watch()
        yield run_or_reason(config, work.dataset, folder, work.accelerator, watch)
