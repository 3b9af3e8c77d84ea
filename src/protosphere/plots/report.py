"""Make the report of training runs, an HTML page in a single file.

A run is the training of one network.
"""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from typing import Any

from protosphere.constructions.comparison import limits
from protosphere.constructions.traits import FigureStyle
from protosphere.extras import require
from protosphere.plots import accuracy
from protosphere.plots.accuracy import Averaged, Trained
from protosphere.plots.style import (
    dimension_range,
    power_ticks,
    scheme_styles,
    spaced_ticks,
)

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1080px; padding: 0 1rem; }
body { color: #222; background: #fff; } h1, h2 { font-weight: 600; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #8884; vertical-align: top; }
th { border-bottom: 2px solid #888; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
p.note { color: #555; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1a1a1a; } p.note { color: #aaa; }
  .plotly-graph-div { filter: invert(.9) hue-rotate(180deg); } /* drawn on white: the same hues on black */
}
@media (max-width: 40rem) { body { margin: 1rem auto; } h1 { font-size: 1.4rem; } }
"""
LAYOUT: Mapping[str, Any] = {
    "template": "plotly_white",
    "height": 480,
    "margin": {"t": 30, "b": 30, "l": 55, "r": 15},
    "legend": {"orientation": "h", "y": -0.2},
}
SYMBOLS = {
    "s": "square",
    "*": "star",
    "D": "diamond",
    ".": "circle",
    "o": "circle",
    "^": "triangle-up",
    "x": "x",
}
PHONE_CHARACTERS = 40
"""Number of characters of tick labels that fit along the horizontal axis on a screen of 390 pixels."""

Row = Mapping[str, Any]


def report_page(
    title: str, num_classes: int | None, runs: Sequence[Trained], rows: Sequence[Row]
) -> str:
    """Return an HTML page about runs, with figures of the accuracy, a table of bounds, and a table of the runs.

    The figures show accuracy against the dimension n and against the maximum cosine.

    Args:
        title: Text of the heading at the top of the page.
        num_classes: Number of classes of the dataset, for the bounds. If this number is None, the page has no bounds.
        runs: Finished runs, for the figures.
        rows: Rows of the table of the runs, each a mapping from the names of the columns to the values. There is a row
            for each run, including runs that did not finish.
    """
    parts = [f"<h1>{escape(title)}</h1>", _summary(runs, rows)]
    if runs:
        averages = accuracy.averages(runs)
        parts.append("<h2>Accuracy</h2>")
        # a page needs the script only once
        parts.append(_figure_html(_figure_by_dimension(averages), with_library=True))
        parts.append("<h2>Separation and accuracy</h2>")
        parts.append(_figure_html(_figure_by_max_cosine(runs), with_library=False))
        if num_classes:
            parts.append("<h2>Separation and bounds</h2>")
            parts.append(_html_table(_separation(num_classes, averages)))
    parts.append("<h2>Runs</h2>")
    parts.append(_html_table(rows))
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{viewport}<title>{escape(title)}</title><style>{STYLE}</style>'
    body = "".join(parts)
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _figure_html(figure: Any, *, with_library: bool) -> str:
    # plotly's script is included if `with_library` is True
    config = {"displaylogo": False, "responsive": True}
    return figure.to_html(full_html=False, include_plotlyjs=with_library, config=config)


def _summary(runs: Sequence[Trained], rows: Sequence[Row]) -> str:
    # `rows` also has the runs that did not finish
    unfinished = len(rows) - len(runs)
    sentences = [f"{len(runs)} runs finished, {unfinished} infeasible or failed."]
    line = accuracy.line_through(runs)
    if line:
        equation = escape(accuracy.equation(line))
        sentences.append(f"Accuracy in percent against max cosine: {equation}.")
    sentences.append(
        "Points are means over seeds with 95 % intervals by Student's t; dashed lines across are baselines."
    )
    return f'<p class="note">{" ".join(sentences)}</p>'


def _figure_by_dimension(rows: Sequence[Averaged]) -> Any:
    figure = require("plotly.graph_objects").Figure()
    styles = accuracy.series_styles(rows)
    for series in accuracy.series_of(rows):
        style = styles[series[0].scheme, series[0].variant]
        if accuracy.is_reference(series):
            _add_baseline(figure, series[0], style)
        else:
            _add_series(figure, series, style)
    dims = accuracy.drawn_dims(rows)
    low, high = dimension_range(dims)
    figure.update_xaxes(
        type="log",
        title="dimension n",
        tickvals=spaced_ticks(power_ticks(dims), low, high, PHONE_CHARACTERS),
        range=[log10(low), log10(high)],
    )
    figure.update_yaxes(title="test accuracy, %", range=accuracy.shown_range(rows))
    figure.update_layout(**LAYOUT)
    return figure


def _add_series(figure: Any, rows: Sequence[Averaged], style: FigureStyle) -> None:
    # random mappings have dashed lines and hollow markers
    is_random = rows[0].mapping == "random"
    symbol = SYMBOLS.get(style.marker, "cross")
    if is_random:
        symbol += "-open"
    margins = [100 * (row.margin or 0) for row in rows]
    figure.add_scatter(
        x=[row.dim for row in rows],
        y=[100 * row.accuracy for row in rows],
        error_y={"type": "data", "array": margins, "thickness": 1},
        name=accuracy.label_of(rows[0], style),
        mode="lines+markers" if len(rows) > 1 else "markers",
        line={"color": style.color, "dash": "dash" if is_random else "solid"},
        marker={"size": 9, "color": style.color, "symbol": symbol},
        customdata=[[_cosine_text(row), row.seeds] for row in rows],
        hovertemplate="n = %{x}: %{y:.2f} %<br>max cosine %{customdata[0]}, %{customdata[1]} seeds",
    )


def _cosine_text(row: Averaged) -> str:
    return "none" if row.max_cosine is None else f"{row.max_cosine:.4f}"


def _add_baseline(figure: Any, row: Averaged, style: FigureStyle) -> None:
    height = 100 * row.accuracy
    # half of the width of the 95% confidence interval
    half = 100 * (row.margin or 0)
    label = accuracy.label_of(row, style)
    figure.add_hline(
        y=height,
        line={"color": style.color, "dash": "longdash", "width": 1},
        annotation_text=f"{label}, n = {row.dim}: {height:.2f} %, {row.seeds} seeds",
    )
    figure.add_hrect(
        y0=height - half,
        y1=height + half,
        fillcolor=style.color,
        opacity=0.08,
        line_width=0,
    )


def _figure_by_max_cosine(runs: Sequence[Trained]) -> Any:
    figure = require("plotly.graph_objects").Figure()
    by_scheme = accuracy.runs_with_prototypes(runs)
    styles = scheme_styles(by_scheme)
    for scheme, own in by_scheme.items():
        _add_runs(figure, own, styles[scheme])
    for row in accuracy.reference_rows(runs):
        _add_baseline(figure, row, scheme_styles([row.scheme])[row.scheme])
    line = accuracy.line_through(runs)
    if line is not None:
        cosines, heights = accuracy.regression_ends(line, runs)
        figure.add_scatter(
            x=cosines,
            y=heights,
            mode="lines",
            name=accuracy.equation(line),
            line={"color": "#444444"},
        )
    figure.update_xaxes(title="maximum cosine of two prototypes")
    figure.update_yaxes(title="test accuracy, %", range=accuracy.shown_range(runs))
    figure.update_layout(**LAYOUT)
    return figure


def _add_runs(figure: Any, runs: Sequence[Trained], style: FigureStyle) -> None:
    symbol = SYMBOLS.get(style.marker, "cross")
    figure.add_scatter(
        x=[run.max_cosine for run in runs],
        y=[100 * run.accuracy for run in runs],
        name=style.label,
        mode="markers",
        marker={"size": 9, "color": style.color, "symbol": symbol},
        customdata=[[run.dim, run.mapping, run.seed] for run in runs],
        hovertemplate="cos %{x:.4f}: %{y:.2f} %<br>n = %{customdata[0]}, %{customdata[1]}, seed %{customdata[2]}",
    )


def _separation(num_classes: int, rows: Sequence[Averaged]) -> list[Row]:
    # one row for each code: its maximum cosine and the bounds
    # learned heads have no maximum cosine and get no row
    codes: set[tuple[str, int, float]] = set()
    for row in rows:
        if row.max_cosine is not None:
            codes.add((row.scheme, row.dim, round(row.max_cosine, 9)))
    bounds = {dim: limits(num_classes, dim) for _, dim, _ in codes}
    table: list[Row] = []
    for scheme, dim, cosine in sorted(codes):
        converse = bounds[dim].converse
        achievable = bounds[dim].achievable
        table.append(
            {
                "scheme": scheme,
                "n": dim,
                "max cosine": f"{cosine:.4f}",
                "no code is below": f"{float(converse):.4f} ({converse.theorem})",
                "some code reaches": ""
                if achievable is None
                else f"{float(achievable):.4f}",
            }
        )
    return table


def _html_table(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>none</p>"
    columns: dict[str, bool] = {}  # whether a column has numbers, by its name
    for row in rows:
        for name, value in row.items():
            columns[name] = columns.get(name, False) or isinstance(value, (int, float))
    head = "".join(_heading(name, numeric) for name, numeric in columns.items())
    body = ""
    for row in rows:
        cells = "".join(_cell(row.get(name)) for name in columns)
        body += f"<tr>{cells}</tr>"
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _heading(name: str, numeric: bool) -> str:
    opening = '<th class="n">' if numeric else "<th>"
    return f"{opening}{escape(name)}</th>"


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td class="n">{value:.4g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="n">{value}</td>'
    return f"<td>{escape(str(value))}</td>"
