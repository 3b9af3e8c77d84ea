"""Draw figures of the experiments: two of Lindström et al. (2024), and comparisons beyond this paper."""

from collections.abc import Sequence
from pathlib import Path

from protosphere.cli.finished_runs import trained_runs
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.paired import compared
from protosphere.experiments.record import RunRecord
from protosphere.plots.accuracy import draw_accuracy
from protosphere.plots.figure_files import save_figure
from protosphere.plots.methods import methods_figure
from reproduction.number_panels import Panel, numbers_figure
from reproduction.predictors import cells_of, predictors
from reproduction.results import Results

MAPPED = {
    "fixed": "fixed",
    "random": "at random",
    "align": "aligned",
    "oppose": "opposed",
}
MOST_PANELS = 4

BEYOND = (
    *(f"best, {how}" for how in MAPPED.values()),
    "semantic, aligned",
    "one-hot, fixed",
)
"""Methods with prototypes that are drawn together with learned layers."""

EQUIDISTANT = ("one_hot", "simplex")
"""Schemes for which the mapping does not matter; only one mapping of each is drawn."""


def draw_experiment(
    records: Sequence[RunRecord], folder: Path, name: str, title: str
) -> tuple[Path, ...]:
    """Draw the figures of an experiment and return the paths of the files.

    NAME-accuracy and NAME-cosine show the schemes of Lindström et al. (2024). NAME-beyond compares more methods, and
    NAME-numbers shows accuracy against statistics of the codes. The last two are left out if there are no runs to show.

    Args:
        records: Finished runs of one network.
        folder: Folder of the files.
        name: Text with which the names of the files begin.
        title: Title of the experiment.
    """
    own = Results(
        tuple(record for record in records if record.test_accuracy is not None)
    )
    title = f"{title}: {own.budget}"
    told_once = [
        r
        for r in own.grid
        if r.config.scheme not in EQUIDISTANT or r.config.mapping == "fixed"
    ]
    if told_once:
        drawn = draw_accuracy(trained_runs(told_once), folder, name, title)
    else:
        drawn = ()
    pictures = {"beyond": _beyond(own.alike), "numbers": _numbers(own.unaligned, title)}
    beyond = (
        save_figure(figure, folder / f"{name}-{kind}.png")
        for kind, figure in pictures.items()
        if figure
    )
    return (*drawn, *beyond)


def way_of(config: TrainingConfig) -> str:
    """Return the name of the method of a run, such as "best, aligned" or "learned layer"."""
    series = config.series.replace("_", "-")
    if config.head == "prototypes":
        return f"{series}, {MAPPED[config.mapping]}"
    return series


def _beyond(records: Sequence[RunRecord]) -> object | None:
    shown = [
        r
        for r in records
        if r.config.head != "prototypes" or way_of(r.config) in BEYOND
    ]
    learned = [r.config.series for r in shown if r.config.head != "prototypes"]
    if not learned:
        return None
    return methods_figure(
        compared(shown, lambda r: way_of(r.config), learned[0]), "test accuracy"
    )


def _numbers(records: Sequence[RunRecord], title: str) -> object | None:
    found = predictors(records)[:MOST_PANELS]
    if len(found) < 2:
        return None
    panels = [
        Panel(
            one.name,
            f"explains {100 * one.r_squared:.0f}%\n(other schemes: {max(0.0, 100 * one.held_out):.0f}%)",
            [
                (cell.scheme, cell.mapping, cell.number, cell.accuracy)
                for cell in cells_of(one.name, records)
            ],
        )
        for one in found
    ]
    return numbers_figure(panels, title)
