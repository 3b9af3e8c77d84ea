"""Show the progress of a sweep on standard error.

A sweep is a list of training runs. The config of a run holds its settings. The record of a run holds its config, its
status and its results. A store is a folder of records.

A line is printed for each run that has ended. On a terminal, a table shows the runs in progress, too. The digest of a
run is a hash of its settings, which identifies the run.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from rich.live import Live
from rich.table import Table

from protosphere.cli.sweep_estimate import SweepEstimate
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.epochs import EpochMetrics, read_metrics
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store
from protosphere.experiments.sweep import Watch
from protosphere.terminal import error_console

MOST_ROWS = 12
"""Largest number of runs in progress that the table shows; a cluster may have hundreds."""


@dataclass
class _Board:
    configs: Sequence[TrainingConfig]
    store: Store
    estimate: SweepEstimate
    # Status of each run that has ended, by its digest.
    statuses: dict[str, str] = field(init=False)
    # Images processed in training by the runs that this sweep has finished, counted once for each epoch.
    fresh_images: float = 0.0

    def __post_init__(self) -> None:
        records = self.store.records_of(
            config for config in self.configs if config.digest not in self.estimate.todo
        )
        self.statuses = {record.digest: record.status for record in records}

    def add(self, record: RunRecord) -> None:
        self.statuses[record.digest] = record.status
        self.estimate.finished(record)
        if record.status == "done":
            self.fresh_images += (record.images_per_second or 0) * (record.seconds or 0)

    def table(self, running: Sequence[TrainingConfig]) -> Table:
        histories = {
            config.digest: read_metrics(self.store.work_folder(config.digest))
            for config in running
        }
        self.estimate.saw(histories)
        left = self.estimate.seconds_left()
        tally = Counter(self.statuses.values())
        counts = (
            ", ".join(f"{number} {status}" for status, number in sorted(tally.items()))
            or "0 done"
        )
        title = f"{counts} of {len(self.configs)}" + (
            "" if left is None else f"; {_clock(left)} left"
        )
        table = Table(title=title, title_justify="left", box=None, padding=(0, 2))
        for name in (
            "scheme",
            "n",
            "mapping",
            "seed",
            "epoch",
            "loss",
            "accuracy",
            "images/s",
        ):
            table.add_column(
                name, justify="left" if name in ("scheme", "mapping") else "right"
            )
        for config in running[:MOST_ROWS]:
            table.add_row(*_cells(config, histories[config.digest]))
        return table


@contextmanager
def sweep_screen(
    configs: Sequence[TrainingConfig], store: Store, estimate: SweepEstimate
) -> Generator[tuple[Watch, Callable[[RunRecord], None]]]:
    """Return a context manager that shows the progress of a sweep on standard error and yields two callbacks.

    The first callback takes the configs of the runs in progress. Each call updates the display, so it must be called
    repeatedly. The second callback must be called with the record of each run that has ended.

    Args:
        configs: Configs of all runs.
        store: Store with the records and folders of the runs.
        estimate: Estimator of the remaining time of the runs that are not finished.
    """
    console = error_console()
    board = _Board(configs, store, estimate)
    begun = time.monotonic()
    if console.is_terminal:
        live = Live(console=console, transient=True, refresh_per_second=2)
    else:
        live = None

    def watch(running: Sequence[TrainingConfig]) -> None:
        if live is not None:
            live.update(board.table(running))

    def told(record: RunRecord) -> None:
        board.add(record)
        console.print(
            f"[{len(board.statuses)}/{len(configs)}] {record_line(record)}",
            soft_wrap=True,
        )

    try:
        with live or nullcontext():
            yield watch, told
        if board.fresh_images:
            seconds = time.monotonic() - begun
            speed = f"{board.fresh_images / seconds:,.0f} training images/s in all"
            console.print(f"{speed}, over {_clock(seconds)}", soft_wrap=True)
    except KeyboardInterrupt:
        done = f"{len(board.statuses)} of {len(configs)} runs are done"
        console.print(f"{done}; the same command goes on from here", soft_wrap=True)
        raise


def record_line(record: RunRecord) -> str:
    """Return one line of text about a run that has ended.

    If the record has a test accuracy, the line has the title of the run, this accuracy and the seconds of training.
    Otherwise it has the title, the status of the run, such as "failed", and the reason.

    Args:
        record: Record of the run.
    """
    if record.test_accuracy is None:
        return f"{record.config.title}: {record.status}, {record.reason}"
    return f"{record.config.title}: {100 * record.test_accuracy:.2f} %, {record.seconds or 0:.0f} s"


def _cells(config: TrainingConfig, history: Sequence[EpochMetrics]) -> list[str]:
    cells = [config.series, str(config.dim), config.mapping, str(config.seed)]
    if not history:
        return [*cells, f"0/{config.epochs}"]
    last = history[-1]
    if last.validation_accuracy is None:
        accuracy = last.train_accuracy
    else:
        accuracy = last.validation_accuracy
    cells += [f"{last.epoch}/{config.epochs}", f"{last.loss:.4f}"]
    return [*cells, f"{100 * accuracy:.2f} %", f"{last.images_per_second:,.0f}"]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
    return f"{minutes}:{rest:02d}"
