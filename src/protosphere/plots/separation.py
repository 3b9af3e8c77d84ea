"""Figures that compare schemes.

They show maximum cosines with bounds, energies, or mean squared cosines, against the dimension.
"""

from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.bounds import Bound, welch_mean_square
from protosphere.bounds.registry import title_of
from protosphere.constructions.comparison import Comparison, Limits, limits
from protosphere.constructions.traits import FigureStyle
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
"""Approximate number of dimensions at which the curve of a bound is computed."""

STATISTIC_LABELS = {
    "energy": "energy (lower means more uniform points)",
    "mean_square": "mean squared cosine of two prototypes",
}
"""Label of the vertical axis, by the name of the statistic (a field of `Cell`)."""

LEGEND_BELOW = {
    "loc": "outside lower center",
    "ncols": 2,
    "frameon": False,
    "handlelength": 3.2,
}


def draw_comparison(
    comparison: Comparison,
    path: str | Path,
    *,
    energy: bool = False,
    mean_square: bool = False,
) -> Path:
    """Draw a comparison of schemes against the dimension, and write the figure to a file.

    Args:
        comparison: Result of `ps.compare`, which has the codes of several schemes, and bounds.
        path: File to write; it must end in .png, .pdf or .svg.
        energy: Whether to draw the energy of each code instead of its maximum cosine. The energy is the mean over the
            points of the sum of exp(s (cosine - 1)) over all other points, where the scale s depends on K and the
            dimension. Lower energies mean more uniform points.
        mean_square: Whether to draw the mean squared cosine of each code instead of its maximum cosine. This argument
            has no effect if `energy` is True.

    Returns:
        The path of the written file.

    Raises:
        InvalidArgumentError: If `path` has none of these endings.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> import protosphere as ps
        >>> from protosphere.plots import draw_comparison
        >>> with TemporaryDirectory() as folder:
        ...     draw_comparison(ps.compare(10, [8, 16], schemes=["one_hot", "simplex"]), f"{folder}/k10.png").name
        'k10.png'
    """
    figure_path(path)
    if energy:
        figure = statistic_figure(comparison, "energy")
    elif mean_square:
        figure = statistic_figure(comparison, "mean_square")
    else:
        figure = separation_figure(comparison, limit_curve(comparison))
    return save_figure(figure, path)


def statistic_figure(comparison: Comparison, statistic: str) -> Any:
    """Return a matplotlib figure of a statistic of each code against the dimension.

    Args:
        comparison: Result of `ps.compare`, with the schemes to draw.
        statistic: Either "energy", or "mean_square" for the mean squared cosine. For "mean_square", a lower bound is
            drawn, too.
    """
    with new_panels(4.6) as (figure, ax):
        positive_only = 0.0  # the axis is logarithmic
        lines = _draw_schemes(ax, comparison, statistic, above=positive_only)
        if statistic == "mean_square":
            lines += _draw_welch_bound(ax, comparison)
        ax.set(
            yscale="log",
            title=f"K = {comparison.num_classes} prototypes: lower is better",
            ylabel=STATISTIC_LABELS[statistic],
        )
        _label_dimensions(ax, comparison)
        figure.legend(handles=lines, **LEGEND_BELOW)
    return figure


def _draw_welch_bound(ax: Any, comparison: Comparison) -> list[Any]:
    K = comparison.num_classes
    low = comparison.dims[0]
    high = min(comparison.dims[-1], K - 1)
    dims = _log_spaced_dims(low, max(low, high))
    smallest = [float(welch_mean_square(K, dim)) for dim in dims]
    label = "tight frames: no code is lower"
    return ax.plot(dims, smallest, color="#000000", linewidth=1.3, label=label)


def _log_spaced_dims(low: int, high: int) -> list[int]:
    spaced = np.geomspace(low, high, CURVE_POINTS)
    whole = np.rint(spaced).astype(int)
    return np.unique(whole).tolist()


def limit_curve(comparison: Comparison) -> tuple[Limits, ...]:
    """Return the bounds on the maximum cosine that a figure draws as curves, sorted by dimension.

    The result has the bounds at the dimensions of the comparison, and at many dimensions between them, so that the
    curves are smooth.

    Args:
        comparison: Result of `ps.compare`, which has the number of classes and the dimensions.
    """
    K = comparison.num_classes
    low = comparison.dims[0]
    high = comparison.dims[-1]
    half = -(-K // 2)
    turns = [dim for dim in (half - 1, half, K - 2, K - 1, K) if low <= dim <= high]
    dims = {*_log_spaced_dims(low, high), *turns, *comparison.dims}
    return tuple(limits(K, dim) for dim in sorted(dims))


def separation_figure(comparison: Comparison, curve: Sequence[Limits]) -> Any:
    """Return a matplotlib figure of the maximum cosines of schemes, and of bounds on them, against the dimension.

    A scheme with codes in several dimensions is drawn as a line, and a scheme with a code in only one dimension as a
    marker. If there are more than 20 classes and a code has a maximum cosine near 0, a second panel enlarges the range
    of cosines near 0.

    Args:
        comparison: Result of `ps.compare`, with the schemes to draw.
        curve: Bounds to draw, one entry for each dimension, sorted by dimension.
    """
    K = comparison.num_classes
    detail = _second_panel_range(comparison)
    if detail is None:
        height = 4.6
        ratios = [1.0]
    else:
        height = 5.8
        ratios = [2.3, 1.0]
    layout = new_panels(
        height, nrows=len(ratios), height_ratios=ratios, sharex=True, squeeze=False
    )
    with layout as (figure, axes):
        panels = axes[:, 0]
        bounds = [_draw_limits(ax, K, curve) for ax in panels]
        schemes = [_draw_schemes(ax, comparison, "max_cosine") for ax in panels]
        panels[0].set(ylim=(None, 1.02), title=f"K = {K} prototypes: lower is better")
        panels[0].legend(
            handles=bounds[0],
            loc="upper right",
            frameon=False,
            handlelength=2.0,
            labelspacing=0.3,
            borderaxespad=0.0,
        )
        if detail is not None:
            panels[1].set_ylim(*detail)
            panels[1].set_title("the same near 0", loc="left")
        _label_dimensions(panels[-1], comparison)
        figure.supylabel("maximum cosine of two prototypes", fontsize="medium")
        figure.legend(handles=schemes[0], **LEGEND_BELOW)
    return figure


def _second_panel_range(comparison: Comparison) -> tuple[float, float] | None:
    K = comparison.num_classes
    if K <= 20:
        return None
    low = -1.6 / (K - 1)
    high = 4.5 / (K - 1)
    for cell in comparison.cells:
        if cell.max_cosine is not None and float(cell.max_cosine) <= high:
            return low, high
    return None


def _draw_limits(ax: Any, K: int, curve: Sequence[Limits]) -> list[Any]:
    ax.axhline(0, color="#BBBBBB", linewidth=0.5, zorder=0.5)
    places = _limit_places(curve)
    dims = [dim for dim, _ in places]
    drawn = _draw_achievable(ax, places)
    drawn += ax.plot(
        dims,
        [float(row.converse) for _, row in places],
        color="#000000",
        linewidth=1.3,
        label=f"converse ({_titles(row.converse for row in curve)})",
    )
    drawn += ax.plot(
        dims,
        [float(row.paper_converse) for _, row in places],
        color="#000000",
        linewidth=0.9,
        linestyle=":",
        label=f"converse as in the paper, -1/{K - 1}",
    )
    return drawn


def _limit_places(curve: Sequence[Limits]) -> list[tuple[float, Limits]]:
    if len(curve) > 1:
        return [(float(row.dim), row) for row in curve]
    # bounds at a single dimension are drawn from one end of the axis to the other
    left = [(row.dim / DIMENSION_MARGIN, row) for row in curve]
    right = [(row.dim * DIMENSION_MARGIN, row) for row in curve]
    return left + right


def _draw_achievable(ax: Any, places: Sequence[tuple[float, Limits]]) -> list[Any]:
    dims: list[float] = []
    above: list[float] = []
    below: list[float] = []
    for dim, row in places:
        if row.achievable is not None:
            dims.append(dim)
            above.append(float(row.achievable))
            below.append(float(row.converse))
    if not dims:
        return []
    titles = _titles(row.achievable for _, row in places)
    lines = ax.plot(
        dims,
        above,
        color="#777777",
        linewidth=0.9,
        linestyle=(0, (4, 2)),
        label=f"achievable ({titles})",
    )
    region = ax.fill_between(
        dims,
        below,
        above,
        color="#E8E8E8",
        linewidth=0,
        label="the optimum lies here",
    )
    return [*lines, region]


def _titles(bounds: Iterable[Bound | None]) -> str:
    titles = {title_of(bound.theorem) for bound in bounds if bound is not None}
    return ", ".join(sorted(titles))


def _draw_schemes(
    ax: Any, comparison: Comparison, statistic: str, above: float = -inf
) -> list[Any]:
    drawn: list[Any] = []
    for name, style in scheme_styles(comparison.schemes).items():
        dims: list[int] = []
        values: list[float] = []
        for cell in comparison.of(name):
            value = getattr(cell, statistic)
            if value is not None and value > above:
                dims.append(cell.dim)
                values.append(float(value))
        if dims:
            look = _point_look(style) if len(dims) == 1 else _line_look(style)
            drawn += ax.plot(
                dims,
                values,
                color=style.color,
                linewidth=style.width,
                label=style.label,
                **look,
            )
    return drawn


def _point_look(style: FigureStyle) -> dict[str, Any]:
    return point_look(style) | {"linestyle": "none", "zorder": 4}


def _line_look(style: FigureStyle) -> dict[str, Any]:
    return {
        "marker": style.marker,
        "linestyle": "-" if style.line == "none" else style.line,
        "zorder": 3,
        "markersize": style.size * style.width / 2,
        "markeredgewidth": style.width * 0.8,
    }


def _label_dimensions(ax: Any, comparison: Comparison) -> None:
    ends = [comparison.dims[0], comparison.dims[-1]]
    dimension_axis(ax, ends, power_ticks(ends))
