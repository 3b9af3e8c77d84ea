"""The largest cosine against the dimension, between what is achievable and what is not; or how even codes are."""

from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.bounds import Bound, welch_mean_square
from protosphere.bounds.registry import title_of
from protosphere.constructions.comparison import Comparison, Limits, limits
from protosphere.plots.figure_files import figure_path, save_figure
from protosphere.plots.style import (
    DIMENSION_MARGIN,
    dimension_axis,
    new_panels,
    point_look,
    power_ticks,
    scheme_styles,
)

CURVE_POINTS = 160
"""How many dimensions a bound is drawn at."""


def draw_comparison(
    comparison: Comparison,
    path: str | Path,
    *,
    energy: bool = False,
    mean_square: bool = False,
) -> Path:
    """Draw max cosines and bounds, energies, or mean squared cosines as the .png, .pdf or .svg that `path` ends in."""
    figure_path(path)
    if energy or mean_square:
        return save_figure(
            statistics_figure(comparison, "energy" if energy else "mean_square"), path
        )
    return save_figure(separation_figure(comparison, limit_curve(comparison)), path)


STATISTIC_LABELS = {
    "energy": "energy: what other classes add at a prototype",
    "mean_square": "mean squared cosine of two prototypes",
}


def statistics_figure(comparison: Comparison, number: str) -> Any:
    """The matplotlib figure: a number of each scheme's cosines against the dimension; squares with their bound."""
    K = comparison.num_classes
    with new_panels(4.6) as (figure, ax):
        lines = _draw_schemes(
            ax, comparison, number, above=0.0
        )  # what a logarithmic axis has
        if number == "mean_square":
            low = comparison.dims[0]
            high = min(comparison.dims[-1], K - 1)
            dims = np.unique(
                np.rint(np.geomspace(low, max(low, high), CURVE_POINTS)).astype(int)
            ).tolist()
            least = [float(welch_mean_square(K, dim)) for dim in dims]
            lines += ax.plot(
                dims,
                least,
                color="#000000",
                linewidth=1.3,
                label="tight frames: nothing is lower",
            )
        title = f"K = {K} prototypes: lower is more even"
        ax.set(yscale="log", title=title, ylabel=STATISTIC_LABELS[number])
        _label_dimensions(ax, comparison)
        figure.legend(
            handles=lines,
            loc="outside lower center",
            ncols=3,
            frameon=False,
            handlelength=3.2,
        )
    return figure


def limit_curve(comparison: Comparison) -> tuple[Limits, ...]:
    """The bounds at dimensions dense enough for a curve, over the range of the comparison."""
    low = comparison.dims[0]
    high = comparison.dims[-1]
    between = np.unique(
        np.rint(np.geomspace(low, high, CURVE_POINTS)).astype(int)
    ).tolist()
    K = comparison.num_classes
    turns = (
        dim
        for dim in (-(-K // 2) - 1, -(-K // 2), K - 2, K - 1, K)
        if low <= dim <= high
    )
    return tuple(limits(K, dim) for dim in sorted({*between, *turns, *comparison.dims}))


def separation_figure(comparison: Comparison, curve: Sequence[Limits]) -> Any:
    """The matplotlib figure: a line for each scheme, a marker where it has one dimension only, and a detail near 0."""
    detail = _detail(comparison)
    height, ratios = (4.6, [1.0]) if detail is None else (5.8, [2.3, 1.0])
    with new_panels(
        height, nrows=len(ratios), height_ratios=ratios, sharex=True, squeeze=False
    ) as (figure, axes):
        panels = axes[:, 0]
        K = comparison.num_classes
        drawn = [
            (_draw_limits(ax, K, curve), _draw_schemes(ax, comparison, "max_cosine"))
            for ax in panels
        ]
        bounds, schemes = drawn[0]
        panels[0].set(ylim=(None, 1.02), title=f"K = {K} prototypes: lower is better")
        panels[0].legend(
            handles=bounds, loc="upper right", frameon=False, handlelength=2.8
        )
        if detail is not None:
            panels[1].set_ylim(*detail)
            panels[1].set_title("the same near 0", loc="left")
        _label_dimensions(panels[-1], comparison)
        figure.supylabel("largest cosine of two prototypes", fontsize=8)
        figure.legend(
            handles=schemes,
            loc="outside lower center",
            ncols=3,
            frameon=False,
            handlelength=3.2,
        )
    return figure


def _detail(comparison: Comparison) -> tuple[float, float] | None:
    """A range around 0 worth a panel of its own: where many classes press orthogonal and optimal together."""
    K = comparison.num_classes
    low = -1.6 / (K - 1)
    high = 4.5 / (K - 1)
    cosines = [
        float(cell.max_cosine)
        for cell in comparison.cells
        if cell.max_cosine is not None
    ]
    return (low, high) if K > 20 and any(cosine <= high for cosine in cosines) else None


def _draw_limits(ax: Any, K: int, curve: Sequence[Limits]) -> list[Any]:
    """Draw the bounds and the region between them; what to put into the legend. One dimension fills the panel."""
    ax.axhline(0, color="#BBBBBB", linewidth=0.5, zorder=0.5)
    drawn: list[Any] = []
    places = [(float(row.dim), row) for row in curve]
    if len(curve) == 1:
        places = [(row.dim / DIMENSION_MARGIN, row) for row in curve] + [
            (row.dim * DIMENSION_MARGIN, row) for row in curve
        ]
    dims = [dim for dim, _ in places]
    converse = [float(row.converse) for _, row in places]
    possible = [
        (dim, float(row.achievable), float(row.converse))
        for dim, row in places
        if row.achievable is not None
    ]
    if possible:
        at, above, below = (np.array(column) for column in zip(*possible, strict=True))
        label = f"achievable ({_titles(row.achievable for row in curve)})"
        drawn += ax.plot(
            at,
            above,
            color="#777777",
            linewidth=0.9,
            linestyle=(0, (4, 2)),
            label=label,
        )
        drawn.append(
            ax.fill_between(
                at,
                below,
                above,
                color="#E8E8E8",
                linewidth=0,
                label="the optimum lies here",
            )
        )
    label = f"converse ({_titles(row.converse for row in curve)})"
    drawn += ax.plot(dims, converse, color="#000000", linewidth=1.3, label=label)
    paper = [float(row.paper_converse) for _, row in places]
    label = f"converse as in the paper, -1/{K - 1}"
    return drawn + ax.plot(
        dims, paper, color="#000000", linewidth=0.9, linestyle=":", label=label
    )


def _titles(bounds: Iterable[Bound | None]) -> str:
    return ", ".join(
        sorted({title_of(bound.theorem) for bound in bounds if bound is not None})
    )


def _draw_schemes(
    ax: Any, comparison: Comparison, number: str, above: float = -inf
) -> list[Any]:
    """A line through each scheme's numbers by dimension, a marker where there is one only; for the legend."""
    drawn: list[Any] = []
    for name, style in scheme_styles(comparison.schemes).items():
        found = [(cell.dim, getattr(cell, number)) for cell in comparison.of(name)]
        values = [
            (dim, float(value))
            for dim, value in found
            if value is not None and value > above
        ]
        if len(values) == 1:
            look = point_look(style) | {"linestyle": "none", "zorder": 4}
        else:
            look = {
                "marker": style.marker,
                "linestyle": "-" if style.line == "none" else style.line,
                "zorder": 3,
            }
            look |= {
                "markersize": style.size * style.width / 2,
                "markeredgewidth": style.width * 0.8,
            }
        if values:
            look |= {
                "color": style.color,
                "linewidth": style.width,
                "label": style.label,
            }
            drawn += ax.plot(*zip(*values, strict=True), **look)
    return drawn


def _label_dimensions(ax: Any, comparison: Comparison) -> None:
    ends = [comparison.dims[0], comparison.dims[-1]]
    dimension_axis(ax, ends, power_ticks(ends))
