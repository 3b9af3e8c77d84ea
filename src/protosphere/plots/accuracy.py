"""Figures of the accuracy of trained networks against the dimension, and against the maximum cosine of prototypes.

A run is the training of one network. The variant of a run is a text with the values of settings that distinguish the
run from other runs of the same scheme. A learned head is a last layer that is trained; it has no fixed prototypes. A
series consists of runs, or means over runs, with the same scheme, mapping and variant; a figure shows it as one line. A
baseline is a series of a learned layer or of one-hot prototypes whose runs all have the same dimension. It is drawn as
a horizontal line.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle, groupby
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Any

from protosphere.constructions.traits import FigureStyle
from protosphere.plots.figure_files import save_figure, save_table
from protosphere.plots.style import (
    SPARE,
    dimension_axis,
    new_panels,
    point_look,
    power_ticks,
    scheme_styles,
)
from protosphere.statistics.intervals import mean_with_interval
from protosphere.statistics.regression import Regression, regression

REFERENCES = ("learned layer", "one_hot")
"""Schemes and learned heads that are drawn as a horizontal line if all their runs have the same dimension."""

LEAST_COSINES = 4
"""Smallest number of different maximum cosines for a regression line."""


@dataclass(frozen=True)
class Trained:
    """A finished training run, with the values that figures show.

    Attributes:
        scheme: Name of the scheme, or of a learned head.
        dim: Dimension n.
        mapping: Value of the setting `mapping`, which says how prototypes are assigned to classes.
        seed: Seed of the run.
        max_cosine: Maximum cosine of the prototypes. For a learned head, it is None.
        accuracy: Test accuracy from 0 to 1.
        variant: Values of other settings that distinguish this run from runs of the same scheme, as text.
    """

    scheme: str
    dim: int
    mapping: str
    seed: int
    max_cosine: float | None
    accuracy: float
    variant: str = ""


@dataclass(frozen=True)
class Averaged:
    """Mean accuracy and mean maximum cosine over runs that differ only in their seeds.

    Attributes:
        scheme: Name of the scheme, or of a learned head.
        dim: Dimension n.
        mapping: Value of the setting `mapping`, which says how prototypes are assigned to classes.
        seeds: Number of runs.
        max_cosine: Mean of the maximum cosines. For a learned head, it is None.
        accuracy: Mean test accuracy from 0 to 1.
        margin: Half of the width of the 95% confidence interval of the accuracy. For a single run, it is None.
        variant: Values of other settings that distinguish these runs from runs of the same scheme, as text.
    """

    scheme: str
    dim: int
    mapping: str
    seeds: int
    max_cosine: float | None
    accuracy: float
    margin: float | None
    variant: str = ""


def averages(runs: Iterable[Trained]) -> list[Averaged]:
    """Return means over the runs that differ only in their seeds, sorted by scheme, mapping, variant and dimension."""
    configuration = attrgetter("scheme", "mapping", "variant", "dim")
    ordered = sorted(runs, key=configuration)
    return [_average(list(group)) for _, group in groupby(ordered, key=configuration)]


def _average(runs: Sequence[Trained]) -> Averaged:
    first = runs[0]
    accuracy = mean_with_interval([run.accuracy for run in runs])
    cosines = [run.max_cosine for run in runs if run.max_cosine is not None]
    return Averaged(
        scheme=first.scheme,
        dim=first.dim,
        mapping=first.mapping,
        seeds=len(runs),
        max_cosine=fmean(cosines) if cosines else None,
        accuracy=accuracy.value,
        margin=accuracy.margin,
        variant=first.variant,
    )


def series_of(rows: Iterable[Averaged]) -> list[list[Averaged]]:
    """Return the means divided into lists, each with all means of the same scheme, mapping and variant.

    A figure shows each list as one line.

    Args:
        rows: Means that are sorted by scheme, mapping, variant and dimension.
    """
    series = attrgetter("scheme", "mapping", "variant")
    return [list(group) for _, group in groupby(rows, key=series)]


def line_through(runs: Sequence[Trained]) -> Regression | None:
    """Return the linear regression of accuracy on the maximum cosine, over all runs with prototypes.

    Args:
        runs: Finished runs. Runs with a learned head are ignored.

    Returns:
        The regression, with the accuracy in percent. It is None if the runs with prototypes have different values of
        `variant`, or fewer than 4 different maximum cosines (`LEAST_COSINES`).
    """
    cosines: list[float] = []
    accuracies: list[float] = []
    variants: set[str] = set()
    for run in runs:
        if run.max_cosine is not None:
            cosines.append(run.max_cosine)
            accuracies.append(100 * run.accuracy)
            variants.add(run.variant)
    different = {round(cosine, 6) for cosine in cosines}
    if len(variants) > 1 or len(different) < LEAST_COSINES:
        return None
    return regression(cosines, accuracies)


def series_styles(rows: Sequence[Averaged]) -> dict[tuple[str, str], FigureStyle]:
    """Return a dictionary from (scheme, variant) to the style, such as color and marker, with which series are drawn.

    The alphabetically first variant of a scheme gets the style of the scheme. Other variants get other colors and
    markers.
    """
    plain = scheme_styles(dict.fromkeys(row.scheme for row in rows))
    taken = {style.color for style in plain.values()}
    free = [spare for spare in SPARE if spare[0] not in taken]
    spares = cycle(free or SPARE)
    styles: dict[tuple[str, str], FigureStyle] = {}
    styled_schemes: set[str] = set()
    for scheme, variant in sorted({(row.scheme, row.variant) for row in rows}):
        style = plain[scheme]
        if scheme in styled_schemes:
            color, marker, _ = next(spares)
            style = replace(style, color=color, marker=marker)
        styled_schemes.add(scheme)
        styles[scheme, variant] = style
    return styles


def is_reference(rows: Sequence[Averaged]) -> bool:
    """Return True if a series is a baseline, which is drawn as a horizontal line across the figure.

    A series is a baseline if it is of a learned layer or of one-hot prototypes, and all its runs have the same
    dimension.

    Args:
        rows: The means of the series, one for each dimension.
    """
    return rows[0].scheme in REFERENCES and len(rows) == 1


def label_of(row: Averaged, style: FigureStyle) -> str:
    """Return the label with which a legend shows a series.

    The label consists of the label of the scheme, the words "random mapping" if the mapping is random, and the variant.

    Args:
        row: Any mean of the series.
        style: Style of the scheme, with its label.
    """
    parts = [style.label]
    if row.mapping == "random":
        parts.append("random mapping")
    if row.variant:
        parts.append(row.variant)
    return ", ".join(parts)


def draw_accuracy(
    runs: Sequence[Trained], folder: Path, name: str, title: str
) -> tuple[Path, ...]:
    """Draw figures of accuracy against the dimension and against the maximum cosine, and write their tables.

    Args:
        runs: Finished runs.
        folder: Folder to write to.
        name: Beginning of the names of the files.
        title: Title of both figures.

    Returns:
        The written files: NAME-accuracy and NAME-cosine, each as .png, .pdf and .csv.
    """
    rows = averages(runs)
    figures = {
        "accuracy": accuracy_figure(rows, title),
        "cosine": cosine_figure(runs, title),
    }
    tables = {
        "accuracy": [asdict(row) for row in rows],
        "cosine": [asdict(run) for run in runs],
    }
    written: list[Path] = []
    for kind, figure in figures.items():
        for ending in (".png", ".pdf"):
            written.append(save_figure(figure, folder / f"{name}-{kind}{ending}"))
    for kind, table in tables.items():
        written.append(save_table(table, folder / f"{name}-{kind}.csv"))
    return tuple(written)


def accuracy_figure(rows: Sequence[Averaged], title: str) -> Any:
    """Return a matplotlib figure of mean accuracy against the dimension, with 95% intervals.

    A learned layer and one-hot prototypes are drawn as horizontal lines if all their runs have the same dimension.

    Args:
        rows: Means over seeds, sorted by scheme, mapping, variant and dimension.
        title: Title of the figure.
    """
    styles = series_styles(rows)
    dims = drawn_dims(rows)
    with new_panels(4.2) as (figure, ax):
        for series in series_of(rows):
            style = styles[series[0].scheme, series[0].variant]
            if is_reference(series):
                _draw_reference(ax, style, series[0])
            else:
                _draw_line(ax, style, series)
        dimension_axis(ax, dims, power_ticks(dims))
        ax.set(ylim=shown_range(rows), ylabel="test accuracy, %", title=title)
        figure.legend(
            loc="outside lower center",
            ncols=2,
            frameon=False,
            fontsize="small",
            handlelength=2.6,
            columnspacing=1.0,
        )
    return figure


def drawn_dims(rows: Sequence[Averaged]) -> list[int]:
    """Return the dimensions that the horizontal axis must show, in ascending order.

    These are the dimensions of all series that are not baselines or, if there are only baselines, of all series. A
    baseline is a series of a learned layer or of one-hot prototypes whose runs all have the same dimension.

    Args:
        rows: Means that are sorted by scheme, mapping, variant and dimension.
    """
    dims: set[int] = set()
    for series in series_of(rows):
        if not is_reference(series):
            dims.update(row.dim for row in series)
    return sorted(dims or {row.dim for row in rows})


def shown_range(rows: Iterable[Averaged | Trained]) -> tuple[float, float]:
    """Return the lowest and the highest accuracy that a figure shows, in percent.

    They are the lowest and the highest accuracy of `rows`, with a margin on both sides. Error bars are ignored, because
    those computed from two seeds are very long.
    """
    heights = [100 * row.accuracy for row in rows]
    lowest = min(heights)
    highest = max(heights)
    room = max(0.5, 0.3 * (highest - lowest))
    return max(0.0, lowest - room), min(100.0, highest + room)


def _draw_line(ax: Any, style: FigureStyle, rows: Sequence[Averaged]) -> None:
    is_random = rows[0].mapping == "random"
    is_single = len(rows) == 1
    look: dict[str, Any] = point_look(style) if is_single else {"marker": style.marker}
    if is_random:
        look["markerfacecolor"] = "white"
        look["markeredgecolor"] = style.color
        look["markeredgewidth"] = 1.0
    if is_single:
        look["linestyle"] = "none"
    elif is_random:
        look["linestyle"] = (0, (4, 2))
    else:
        look["linestyle"] = "-"
    ax.errorbar(
        [row.dim for row in rows],
        [100 * row.accuracy for row in rows],
        [_margin_percent(row) for row in rows],
        capsize=2,
        elinewidth=0.7,
        label=label_of(rows[0], style),
        color=style.color,
        **look,
    )


def _margin_percent(row: Averaged) -> float:
    return 100 * (row.margin or 0.0)  # a single run has no margin


def _draw_reference(ax: Any, style: FigureStyle, row: Averaged) -> None:
    height = 100 * row.accuracy
    half = _margin_percent(row)
    ax.axhline(
        height,
        color=style.color,
        linestyle=(0, (6, 2)),
        linewidth=1,
        label=f"{label_of(row, style)}, n = {row.dim}",
    )
    ax.axhspan(height - half, height + half, color=style.color, alpha=0.1, linewidth=0)


def cosine_figure(runs: Sequence[Trained], title: str) -> Any:
    """Return a matplotlib figure of accuracy against the maximum cosine, with a point for each run with prototypes.

    A regression line is drawn, too, unless the runs have different values of `variant` or fewer than 4 different
    maximum cosines. Learned layers and one-hot prototypes are drawn as horizontal lines if all their runs have the same
    dimension.

    Args:
        runs: Finished runs.
        title: Title of the figure.
    """
    styles = scheme_styles(dict.fromkeys(run.scheme for run in runs))
    with new_panels(4.0) as (figure, ax):
        for scheme, own in runs_with_prototypes(runs).items():
            _draw_runs(ax, styles[scheme], own)
        for row in reference_rows(runs):
            _draw_reference(ax, styles[row.scheme], row)
        line = line_through(runs)
        if line is not None:
            cosines, heights = regression_ends(line, runs)
            label = equation(line)
            ax.plot(cosines, heights, color="#444444", linewidth=1, label=label)
        ax.set(
            xlabel="maximum cosine of two prototypes",
            ylabel="test accuracy, %",
            title=title,
        )
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def runs_with_prototypes(runs: Iterable[Trained]) -> dict[str, list[Trained]]:
    """Return a mapping from each scheme to its runs. Runs with a learned head are left out."""
    by_scheme: dict[str, list[Trained]] = {}
    for run in runs:
        if run.max_cosine is not None:
            by_scheme.setdefault(run.scheme, []).append(run)
    return by_scheme


def _draw_runs(ax: Any, style: FigureStyle, runs: Sequence[Trained]) -> None:
    ax.plot(
        [run.max_cosine for run in runs],
        [100 * run.accuracy for run in runs],
        linestyle="none",
        color=style.color,
        label=style.label,
        alpha=0.8,
        **point_look(style, 0.8),
    )


def reference_rows(runs: Sequence[Trained]) -> list[Averaged]:
    """Return the means over the runs of each baseline, which is drawn as a horizontal line.

    A baseline is a learned layer, or one-hot prototypes, whose runs all have the same dimension.
    """
    series = series_of(averages(runs))
    return [rows[0] for rows in series if is_reference(rows)]


def regression_ends(
    line: Regression, runs: Sequence[Trained]
) -> tuple[list[float], list[float]]:
    """Return the two ends of a regression line, at the smallest and the largest maximum cosine of the runs.

    Args:
        line: The regression of accuracy on the maximum cosine.
        runs: Runs to which the regression was fitted.

    Returns:
        The two cosines, and the two accuracies in percent that the regression predicts at these cosines.
    """
    cosines = [run.max_cosine for run in runs if run.max_cosine is not None]
    ends = [min(cosines), max(cosines)]
    heights = [line.intercept + line.slope * cosine for cosine in ends]
    return ends, heights


def equation(line: Regression) -> str:
    """Return a line of text with the slope of a regression, its 95% confidence interval, R² and the number of runs.

    The slope is in percentage points of accuracy per unit of cosine.
    """
    slope = f"slope {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}]"
    return f"{slope}, R² {line.r_squared:.2f}, {line.count} runs"
