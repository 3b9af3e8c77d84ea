"""Accuracy of trained networks against the dimension, and against the largest cosine of their prototypes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from protosphere.plots.files import save_figure, save_table
from protosphere.plots.style import COLUMN_INCHES, SchemeStyle, new_figure, scheme_styles, styled
from protosphere.regression import Regression, regression


@dataclass(frozen=True)
class Trained:
    """A run that was finished: accuracy is the share of the test images."""

    scheme: str
    dim: int
    mapping: str
    seed: int
    max_cosine: float
    accuracy: float


@dataclass(frozen=True)
class Averaged:
    """One scheme at one dimension under one mapping, over its seeds; deviation is None for a single one."""

    scheme: str
    dim: int
    mapping: str
    seeds: int
    max_cosine: float
    accuracy: float
    deviation: float | None


def averages(runs: Iterable[Trained]) -> list[Averaged]:
    """The mean and the standard deviation over seeds, by scheme, mapping and dimension."""
    groups: dict[tuple[str, str, int], list[Trained]] = {}
    for run in runs:
        groups.setdefault((run.scheme, run.mapping, run.dim), []).append(run)
    return [
        Averaged(
            scheme,
            dim,
            mapping,
            len(group),
            fmean(run.max_cosine for run in group),
            fmean(run.accuracy for run in group),
            stdev(run.accuracy for run in group) if len(group) > 1 else None,
        )
        for (scheme, mapping, dim), group in sorted(groups.items())
    ]


def line_through(runs: Sequence[Trained]) -> Regression | None:
    """Accuracy in per cent against the largest cosine, over all runs."""
    return regression([run.max_cosine for run in runs], [100 * run.accuracy for run in runs])


def draw_accuracy(runs: Sequence[Trained], folder: Path, name: str, title: str) -> tuple[Path, ...]:
    """NAME-accuracy and NAME-cosine, each as .png, .pdf and .csv."""
    rows = averages(runs)
    drawn: list[Path] = []
    pictures = {"accuracy": accuracy_figure(rows, title), "cosine": cosine_figure(runs, title)}
    for kind, figure in pictures.items():
        drawn += [save_figure(figure, folder / f"{name}-{kind}{ending}") for ending in (".png", ".pdf")]
    tables = {"accuracy": [asdict(row) for row in rows], "cosine": [asdict(run) for run in runs]}
    return (*drawn, *(save_table(table, folder / f"{name}-{kind}.csv") for kind, table in tables.items()))


def accuracy_figure(rows: Sequence[Averaged], title: str) -> Any:
    """Means against the dimension, with error bars of one standard deviation."""
    styles = scheme_styles(dict.fromkeys(row.scheme for row in rows))
    with styled():
        figure = new_figure(COLUMN_INCHES, 4.2)
        ax: Any = figure.subplots()
        for scheme, mapping in sorted({(row.scheme, row.mapping) for row in rows}):
            own = [row for row in rows if (row.scheme, row.mapping) == (scheme, mapping)]
            _draw_line(ax, styles[scheme], own, mapping)
        dims = sorted({row.dim for row in rows})
        ax.set_xscale("log", base=2)
        ticks = [1 << m for m in range(12) if dims[0] <= 1 << m <= dims[-1]] or dims
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        ax.set_xlabel("dimension n")
        ax.set_ylabel("test accuracy, %")
        ax.set_title(title)
        figure.legend(loc="outside lower center", ncols=2, frameon=False, handlelength=3.2)
    return figure


def _draw_line(ax: Any, style: SchemeStyle, rows: Sequence[Averaged], mapping: str) -> None:
    random = mapping == "random"
    single = len(rows) == 1
    ax.errorbar(
        [row.dim for row in rows],
        [100 * row.accuracy for row in rows],
        yerr=[100 * (row.deviation or 0.0) for row in rows],
        color=style.color,
        marker=style.marker,
        linestyle="none" if single else (0, (4, 2)) if random else "-",
        markerfacecolor="white" if random else style.color,
        capsize=2,
        elinewidth=0.7,
        label=style.label + (", random mapping" if random else ""),
    )


def cosine_figure(runs: Sequence[Trained], title: str) -> Any:
    """Every run, and the line through all of them."""
    styles = scheme_styles(dict.fromkeys(run.scheme for run in runs))
    with styled():
        figure = new_figure(COLUMN_INCHES, 4.0)
        ax: Any = figure.subplots()
        for scheme, style in styles.items():
            own = [run for run in runs if run.scheme == scheme]
            points = [run.max_cosine for run in own], [100 * run.accuracy for run in own]
            ax.plot(*points, style.marker, color=style.color, label=style.label, alpha=0.8)
        line = line_through(runs)
        if line is not None:
            ends = [min(run.max_cosine for run in runs), max(run.max_cosine for run in runs)]
            label = spelled(line)
            ax.plot(ends, [line.intercept + line.slope * x for x in ends], color="#444444", linewidth=1, label=label)
        ax.set_xlabel("largest cosine of two prototypes")
        ax.set_ylabel("test accuracy, %")
        ax.set_title(title)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def spelled(line: Regression) -> str:
    """A regression in one line, its slope in points of accuracy per unit of cosine."""
    return f"slope {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}], R² {line.r_squared:.2f}, {line.count} runs"
