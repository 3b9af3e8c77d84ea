"""Do a sweep from the command line: choose how its runs are computed, show the progress, and print a summary.

A sweep is a list of training runs on one dataset. The config of a run has its settings. The record of a run has its
config, its status and its results. A store is a folder of records.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import DataDir, Whole
from protosphere.cli.finished_runs import counted_runs
from protosphere.cli.screen import print_answer
from protosphere.cli.sweep_estimate import SweepEstimate
from protosphere.cli.sweep_screen import sweep_screen
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store
from protosphere.experiments.sweep import Engine, in_this_process, pending
from protosphere.experiments.sweep import sweep as run_sweep


@dataclass(frozen=True)
class Means:
    """Options that determine where the runs of a sweep are computed.

    If no Ray cluster is used, `ray` is None. Otherwise `ray` is a list: it has the address of the cluster, or it is
    empty if the user gave no address. `data_dir` is the folder that is searched first for the dataset. If it is None,
    only the default folders are searched.

    Attributes:
        workers: Number of worker processes on this machine, each of which does one run at a time.
        ray: Do the runs on the Ray cluster with this address. Without an address, the cluster at $RAY_ADDRESS or a new
            cluster on this machine is used.
        accelerator: Kind of device of each run: cpu, cuda, mps or auto.
    """

    workers: Whole = 1
    ray: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = (
        None
    )
    data_dir: DataDir = None
    accelerator: str = "auto"

    def engine(self) -> Engine:
        """Return the function that does the runs of a sweep.

        - If `ray` is not None, the runs are done on a Ray cluster.
        - If `ray` is None and `workers` is 1, the runs are done in this process.
        - Otherwise, the runs are done in `workers` worker processes.

        Raises:
            InvalidArgumentError: If `workers` is not positive, or if `ray` has several addresses.
        """
        as_integer("workers", self.workers, minimum=1)
        if self.ray is not None:
            from protosphere.experiments.ray_cluster import on_ray

            if len(self.ray) > 1:
                raise InvalidArgumentError(
                    f"'--ray' takes one address, got {' '.join(self.ray)}"
                )
            return on_ray(self.ray[0] if self.ray else None)
        if self.workers == 1:
            return in_this_process
        from protosphere.experiments.workers import local_workers

        return local_workers(self.workers)


THIS_PROCESS = Means()
SweepMeans = Annotated[Means, Parameter(name="*")]


def sweep_on_screen(
    configs: Sequence[TrainingConfig],
    place: Store,
    means: Means,
    *,
    retry_failed: bool = False,
) -> list[RunRecord]:
    """Do those training runs of a sweep that are not finished, and show their progress on standard error.

    Args:
        configs: Configs of all runs, on one dataset.
        place: Store with the records of finished runs, to which the records of the new runs are added.
        means: Options that determine where the runs are computed.
        retry_failed: Whether to repeat the runs that failed before. If false, they are not repeated.

    Returns:
        The records of all runs of the sweep, including runs that were finished before.

    Raises:
        InvalidArgumentError: If the runs are on several datasets, or if there are no runs.
    """
    engine = means.engine()
    names = {config.dataset for config in configs}
    if len(names) != 1:
        raise InvalidArgumentError(
            f"a sweep is over one dataset, got {', '.join(sorted(names)) or 'none'}"
        )
    with ps.progress_bar() as progress:
        images = load_dataset(names.pop(), data_dir=means.data_dir, progress=progress)
    todo = pending(configs, place, images, retry_failed=retry_failed)
    at_once = means.workers if means.ray is None else None
    estimate = SweepEstimate({config.digest: config.epochs for config in todo}, at_once)
    with sweep_screen(configs, place, estimate) as (watch, told):
        options: dict[str, Any] = {
            "data_dir": means.data_dir,
            "accelerator": means.accelerator,
        }
        for record in run_sweep(
            configs,
            images,
            place,
            engine,
            watch=watch,
            retry_failed=retry_failed,
            **options,
        ):
            told(record)
    return place.records_of(configs)


def show_plan(configs: Sequence[TrainingConfig], *, json: bool) -> None:
    """Print the digest and the title of each run of a sweep, and the total number of epochs.

    The runs are not done.

    Args:
        configs: Configs of the runs.
        json: Whether to print a JSON list of the configs and their digests in place of this text.
    """
    lines = [f"{config.digest}  {config.title}" for config in configs]
    epochs = sum(config.epochs for config in configs)
    lines.append(f"{counted_runs(len(configs))} of {epochs} epochs in all")
    print_answer(
        [{"digest": config.digest} | config.record() for config in configs],
        lines,
        json=json,
    )


def show_summary(records: Sequence[RunRecord], place: Store, *, json: bool) -> None:
    """Print how many runs of a sweep are done, infeasible and failed, and the folder of their records.

    Args:
        records: Records of the runs.
        place: Store with these records.
        json: Whether to print a JSON list of the records in place of this text.
    """
    counts = Counter(record.status for record in records)
    told = ", ".join(
        f"{counts[status]} {status}"
        for status in ("done", "infeasible", "failed")
        if counts[status]
    )
    print_answer(
        [record.row() for record in records],
        [f"{counted_runs(len(records))}: {told}; in {place.folder}"],
        json=json,
    )
