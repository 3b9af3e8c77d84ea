"""`protosphere reproduce`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from protosphere.cli.arguments import DryRun, Json, StoreFolder
from protosphere.cli.experiment_figures import draw_experiment
from protosphere.cli.finished_runs import trained_runs
from protosphere.cli.screen import print_lines
from protosphere.cli.sweeping import THIS_PROCESS, SweepMeans, show_plan, show_summary, sweep_on_screen
from protosphere.extras import require
from protosphere.paper.experiments import paper_runs
from protosphere.plots.accuracy import Trained, equation, line_through
from protosphere.training.records import RunRecord
from protosphere.training.store import Store, read_table, write_table

TITLES = {"mnist": "MNIST", "cifar100": "CIFAR-100"}


def reproduce(
    experiment: Literal["mnist", "cifar100"],
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
    """Run the paper's experiment (section 4.3, appendix C), and draw accuracy against n and against max cosine.

    Args:
        experiment: mnist (K = 10, n = 4 ... 64) or cifar100 (K = 100, n = 16 ... 256).
        budget: Minutes; for cifar100 the features of a pre-trained network; hours; or the paper's own recipe.
        store: The folder of results; by default one in runs/.
        results: A .csv file of results: those in it are not run again, and all are written to it.
        figures: The folder for the figures; by default the store.
    """
    recipes = paper_runs(experiment, budget)
    if dry_run:
        show_plan(recipes, json=json)
        return
    require("matplotlib")
    place = Store(store or Path("runs") / f"{experiment}-{budget}")
    if results is not None and results.exists():
        take_over(read_table(results), place)
    records = sweep_on_screen(recipes, place, means)
    if results is not None:
        write_table(records, results)
    show_summary(records, place, json=json)
    if trained := trained_runs(records):
        name = experiment if budget == "quick" else f"{experiment}-{budget}"
        files = draw_experiment(records, figures or place.folder, name, TITLES[experiment])
        if not json:
            show_figures(files, trained)


def take_over(records: Iterable[RunRecord], place: Store) -> None:
    """Put records from a table into the store, where it has none of the same recipe."""
    for record in records:
        if place.get(record.digest) is None:
            place.add(record)


def show_figures(files: Iterable[Path], trained: Sequence[Trained]) -> None:
    """The files, a line each, and the regression."""
    line = line_through(trained)
    print_lines(map(str, files))
    print_lines([] if line is None else [f"accuracy (%) against max cosine: {equation(line)}"])
