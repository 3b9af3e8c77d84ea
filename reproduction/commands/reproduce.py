"""Command `python -m reproduction reproduce`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from protosphere.cli.arguments import DryRun, Json, StoreFolder
from protosphere.cli.finished_runs import trained_runs
from protosphere.cli.screen import print_lines
from protosphere.cli.sweeping import (
    THIS_PROCESS,
    Means,
    SweepMeans,
    show_plan,
    show_summary,
    sweep_on_screen,
)
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store, read_table, write_table
from protosphere.extras import require
from protosphere.plots.accuracy import equation, line_through
from protosphere.storage.files import make_folder
from reproduction.experiment_figures import draw_experiment
from reproduction.experiments import DECISIVE, paper_runs
from reproduction.results import TITLES


def reproduce(
    experiment: Literal["mnist", "cifar100", "all"],
    /,
    *,
    budget: Literal["quick", "features", "hours", "paper"] = "quick",
    store: StoreFolder = None,
    results: Path | None = None,
    figures: Path | None = None,
    means: SweepMeans = THIS_PROCESS,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Run an experiment of Lindström et al. (2024), and draw accuracy against n and against maximum cosine.

    Args:
        experiment: mnist (K = 10, n = 4 ... 64), cifar100 (K = 100, n = 15 ... 256), or all.
            The choice all stands for the runs that decide the claims: cifar100 with features and hours, mnist with
            hours.
        budget: Size of the experiment.
            The choice quick takes minutes, hours takes hours, and paper uses the config of the paper.
            The choice features (only for cifar100) trains on features of a pretrained network.
        store: Folder of the runs. The default is a folder in runs/.
        results: Path of a .csv table of runs, or of a folder for such tables.
            Runs in the table are not repeated, and at the end the table has all runs.
        figures: Folder for the figures. The default is the store.
    """
    plans = DECISIVE if experiment == "all" else ((experiment, budget),)
    if experiment == "all" and results is not None and results.suffix:
        raise InvalidArgumentError(
            f"'results' of all experiments must be a folder, got '{results}'"
        )
    if dry_run:
        show_plan([config for plan in plans for config in paper_runs(*plan)], json=json)
        return
    require("matplotlib")
    for plan in plans:
        name = "-".join(plan)
        place = Store(
            store if store and experiment != "all" else (store or Path("runs")) / name
        )
        if results is None or results.suffix:
            table = results
        else:
            table = results / f"{name}.csv"
        records = _swept(paper_runs(*plan), place, table, means)
        show_summary(records, place, json=json)
        if trained := trained_runs(records):
            files = draw_experiment(
                records, figures or place.folder, name, TITLES[plan[0]]
            )
            line = line_through(trained)
            if line is None:
                told = []
            else:
                told = [f"accuracy (%) against max cosine: {equation(line)}"]
            print_lines([] if json else [*map(str, files), *told])


def _swept(
    configs: Sequence[TrainingConfig], place: Store, table: Path | None, means: Means
) -> list[RunRecord]:
    """Return the records of all configs.

    Runs that are in the file `table` or in the store `place` are not repeated. At the end, all records are written to
    `table`.
    """
    if table is None:
        return sweep_on_screen(configs, place, means)
    make_folder(table.parent)
    for record in read_table(table) if table.exists() else ():
        if place.get(record.digest) is None:
            place.add(record)
    try:
        return sweep_on_screen(configs, place, means)
    finally:
        if done := place.records_of(configs):
            write_table(done, table)
