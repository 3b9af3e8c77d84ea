"""Accuracy of trained networks against the dimension, and against the largest cosine of their prototypes."""

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
"""Series that are drawn as lines across the figure: each has one dimension, the number of classes."""

LEAST_COSINES = 4
"""Different cosines without which no line is laid through runs: three heaps say nothing of what is between them."""


@dataclass(frozen=True)
class Trained:
    """A finished run: a learned head has its name for a scheme and no cosine; `variant` is what else tells it apart."""

    scheme: str
    dim: int
    mapping: str
    seed: int
    max_cosine: float | None
    accuracy: float
    variant: str = ""


@dataclass(frozen=True)
class Averaged:
    """Means over the seeds of one scheme, dimension, mapping and variant; `margin` is half of the 95 % interval."""

    scheme: str
    dim: int
    mapping: str
    seeds: int
    max_cosine: float | None
    accuracy: float
    margin: float | None
    variant: str = ""


def averages(runs: Iterable[Trained]) -> list[Averaged]:
    """The mean over seeds and its 95 % interval, by scheme, mapping, variant and dimension."""
    cell = attrgetter("scheme", "mapping", "variant", "dim")
    rows = list[Averaged]()
    for (scheme, mapping, variant, dim), found in groupby(
        sorted(runs, key=cell), key=cell
    ):
        group = list(found)
        accuracy = mean_with_interval([run.accuracy for run in group])
        cosines = [run.max_cosine for run in group if run.max_cosine is not None]
        cosine = fmean(cosines) if cosines else None
        rows.append(
            Averaged(
                scheme,
                dim,
                mapping,
                len(group),
                cosine,
                accuracy.value,
                accuracy.margin,
                variant,
            )
        )
    return rows


def series_of(rows: Iterable[Averaged]) -> list[list[Averaged]]:
    """Rows as `averages` sorts them, those together that are drawn as one line."""
    return [
        list(own)
        for _, own in groupby(rows, key=attrgetter("scheme", "mapping", "variant"))
    ]


def line_through(runs: Sequence[Trained]) -> Regression | None:
    """Accuracy in per cent against the largest cosine, over all runs that have prototypes.

    None where these differ in more than their prototypes, or have fewer than `LEAST_COSINES` different cosines.
    """
    placed = [
        (run.max_cosine, 100 * run.accuracy, run.variant)
        for run in runs
        if run.max_cosine is not None
    ]
    if (
        len({variant for *_, variant in placed}) > 1
        or len({round(x, 6) for x, *_ in placed}) < LEAST_COSINES
    ):
        return None
    return regression([x for x, *_ in placed], [y for _, y, _ in placed])


def series_styles(rows: Sequence[Averaged]) -> dict[tuple[str, str], FigureStyle]:
    """A style for each scheme and variant: the scheme's own for its first, colours and markers to spare for others."""
    plain = scheme_styles(dict.fromkeys(row.scheme for row in rows))
    taken = {style.color for style in plain.values()}
    spare = cycle([each for each in SPARE if each[0] not in taken] or SPARE)
    found: dict[tuple[str, str], FigureStyle] = {}
    for scheme, variant in sorted({(row.scheme, row.variant) for row in rows}):
        style = plain[scheme]
        if any(other == scheme for other, _ in found):
            color, marker, _ = next(spare)
            style = replace(style, color=color, marker=marker)
        found[scheme, variant] = style
    return found


def is_reference(rows: Sequence[Averaged]) -> bool:
    """Whether a series is what others are compared with, and has one dimension only."""
    return rows[0].scheme in REFERENCES and len(rows) == 1


def label_of(row: Averaged, style: FigureStyle) -> str:
    """What a legend calls a series."""
    parts = (
        style.label,
        "random mapping" if row.mapping == "random" else "",
        row.variant,
    )
    return ", ".join(part for part in parts if part)


def draw_accuracy(
    runs: Sequence[Trained], folder: Path, name: str, title: str
) -> tuple[Path, ...]:
    """NAME-accuracy and NAME-cosine, each as .png, .pdf and .csv."""
    rows = averages(runs)
    drawn: list[Path] = []
    pictures = {
        "accuracy": accuracy_figure(rows, title),
        "cosine": cosine_figure(runs, title),
    }
    for kind, figure in pictures.items():
        drawn += [
            save_figure(figure, folder / f"{name}-{kind}{ending}")
            for ending in (".png", ".pdf")
        ]
    tables = {
        "accuracy": [asdict(row) for row in rows],
        "cosine": [asdict(run) for run in runs],
    }
    return (
        *drawn,
        *(
            save_table(table, folder / f"{name}-{kind}.csv")
            for kind, table in tables.items()
        ),
    )


def accuracy_figure(rows: Sequence[Averaged], title: str) -> Any:
    """Means against the dimension with their 95 % intervals; a learned layer and one-hot are lines across."""
    styles = series_styles(rows)
    with new_panels(4.2) as (figure, ax):
        for own in series_of(rows):
            draw = _draw_reference if is_reference(own) else _draw_line
            draw(ax, styles[own[0].scheme, own[0].variant], own)
        dims = drawn_dims(rows)
        dimension_axis(ax, dims, power_ticks(dims))
        ax.set(ylim=shown_range(rows), ylabel="test accuracy, %", title=title)
        figure.legend(
            loc="outside lower center", ncols=2, frameon=False, handlelength=3.2
        )
    return figure


def drawn_dims(rows: Sequence[Averaged]) -> list[int]:
    """Return the dimensions of the series that are drawn against them.

    A reference is a line across the figure, so its dimension counts only where there is nothing else to draw.
    """
    by_dimension = [
        row for own in series_of(rows) if not is_reference(own) for row in own
    ]
    return sorted({row.dim for row in by_dimension or rows})


def shown_range(rows: Iterable[Averaged | Trained]) -> tuple[float, float]:
    """Of the axis of accuracies, in per cent: that of the points, and some more; two seeds have intervals beyond it."""
    heights = [100 * row.accuracy for row in rows]
    room = max(0.5, 0.3 * (max(heights) - min(heights)))
    return max(0.0, min(heights) - room), min(100.0, max(heights) + room)


def _draw_line(ax: Any, style: FigureStyle, rows: Sequence[Averaged]) -> None:
    random = rows[0].mapping == "random"
    single = len(rows) == 1
    look = point_look(style) if single else {"marker": style.marker}
    if random:
        look |= {
            "markerfacecolor": "white",
            "markeredgecolor": style.color,
            "markeredgewidth": 1.0,
        }
    look |= {
        "color": style.color,
        "linestyle": "none" if single else (0, (4, 2)) if random else "-",
    }
    dims = [row.dim for row in rows]
    heights = [100 * row.accuracy for row in rows]
    margins = [100 * (row.margin or 0.0) for row in rows]
    ax.errorbar(
        dims,
        heights,
        margins,
        capsize=2,
        elinewidth=0.7,
        label=label_of(rows[0], style),
        **look,
    )


def _draw_reference(ax: Any, style: FigureStyle, rows: Sequence[Averaged]) -> None:
    """A line across the figure, and around it a band of its 95 % interval."""
    row = rows[0]
    height = 100 * row.accuracy
    half = 100 * (row.margin or 0.0)
    label = f"{label_of(row, style)}, n = {row.dim}"
    ax.axhline(
        height, color=style.color, linestyle=(0, (6, 2)), linewidth=1, label=label
    )
    ax.axhspan(height - half, height + half, color=style.color, alpha=0.1, linewidth=0)


def cosine_figure(runs: Sequence[Trained], title: str) -> Any:
    """Every run with prototypes, and the line through all of them; a learned layer and one-hot are lines across."""
    placed = [run for run in runs if run.max_cosine is not None]
    styles = scheme_styles(dict.fromkeys(run.scheme for run in runs))
    with new_panels(4.0) as (figure, ax):
        for scheme in dict.fromkeys(run.scheme for run in placed):
            own = [run for run in placed if run.scheme == scheme]
            style = styles[scheme]
            points = (
                [run.max_cosine for run in own],
                [100 * run.accuracy for run in own],
            )
            ax.plot(
                *points,
                linestyle="none",
                color=style.color,
                label=style.label,
                alpha=0.8,
                **point_look(style, 0.8),
            )
        for row in reference_rows(runs):
            _draw_reference(ax, styles[row.scheme], [row])
        line = line_through(runs)
        if line is not None:
            ax.plot(
                *regression_ends(line, runs),
                color="#444444",
                linewidth=1,
                label=equation(line),
            )
        ax.set(
            xlabel="largest cosine of two prototypes",
            ylabel="test accuracy, %",
            title=title,
        )
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def reference_rows(runs: Sequence[Trained]) -> list[Averaged]:
    """The series that are lines across a figure."""
    return [own[0] for own in series_of(averages(runs)) if is_reference(own)]


def regression_ends(
    line: Regression, runs: Sequence[Trained]
) -> tuple[list[float], list[float]]:
    """The smallest and the largest of the cosines, and the accuracies of the line there."""
    cosines = [run.max_cosine for run in runs if run.max_cosine is not None]
    ends = [min(cosines), max(cosines)]
    return ends, [line.intercept + line.slope * x for x in ends]


def equation(line: Regression) -> str:
    """A regression in one line, its slope in points of accuracy per unit of cosine."""
    return f"slope {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}], R² {line.r_squared:.2f}, {line.count} runs"
