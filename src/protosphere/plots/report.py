"""One page for a browser, with everything in it: no network, no other file."""

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
"""Characters of a tick's label that fit along the horizontal axis on a screen of 390 pixels."""

Row = Mapping[str, Any]


def report_page(
    title: str, num_classes: int | None, runs: Sequence[Trained], rows: Sequence[Row]
) -> str:
    """Return one HTML page: accuracy against n and against max cosine, separation beside bounds, the table of runs.

    Args:
        title: Heading of the page.
        num_classes: Number of classes of the data, which the bounds need; None leaves the bounds out.
        runs: Finished runs, for the figures.
        rows: All runs, for the table.
    """
    if runs:
        figures = {
            "Accuracy": _accuracy(accuracy.averages(runs)),
            "Separation and accuracy": _cosine(runs),
        }
    else:
        figures = {}
    parts = [f"<h1>{escape(title)}</h1>", _summary(runs, rows)]
    config = {"displaylogo": False, "responsive": True}
    for number, (name, figure) in enumerate(figures.items()):
        drawn = figure.to_html(
            full_html=False, include_plotlyjs=number == 0, config=config
        )
        parts.append(f"<h2>{name}</h2>{drawn}")
    if runs and num_classes:
        parts.append(
            "<h2>Separation and bounds</h2>"
            + _table(_separation(num_classes, accuracy.averages(runs)))
        )
    parts.append("<h2>Runs</h2>" + _table(rows))
    screen = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{screen}<title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _summary(runs: Sequence[Trained], rows: Sequence[Row]) -> str:
    line = accuracy.line_through(runs)
    if line:
        slope = f" Accuracy in per cent against max cosine: {escape(accuracy.equation(line))}."
    else:
        slope = ""
    bars = "Means over seeds, with 95 % intervals by Student's t; dashed lines across are what to compare with."
    return f'<p class="note">{len(runs)} runs finished, {len(rows) - len(runs)} infeasible or failed.{slope} {bars}</p>'


def _accuracy(rows: Sequence[Averaged]) -> Any:
    figure = require("plotly.graph_objects").Figure()
    styles = accuracy.series_styles(rows)
    for own in accuracy.series_of(rows):
        style = styles[own[0].scheme, own[0].variant]
        if accuracy.is_reference(own):
            _reference(figure, own[0], style)
            continue
        random = own[0].mapping == "random"  # drawn hollow
        symbol = SYMBOLS.get(style.marker, "cross") + ("-open" if random else "")
        figure.add_scatter(
            x=[row.dim for row in own],
            y=[100 * row.accuracy for row in own],
            error_y={
                "type": "data",
                "array": [100 * (row.margin or 0) for row in own],
                "thickness": 1,
            },
            name=accuracy.label_of(own[0], style),
            mode="lines+markers" if len(own) > 1 else "markers",
            line={"color": style.color, "dash": "dash" if random else "solid"},
            marker={"size": 9, "color": style.color, "symbol": symbol},
            customdata=[
                [
                    "none" if row.max_cosine is None else f"{row.max_cosine:.4f}",
                    row.seeds,
                ]
                for row in own
            ],
            hovertemplate="n = %{x}: %{y:.2f} %<br>max cosine %{customdata[0]}, %{customdata[1]} seeds",
        )
    dims = accuracy.drawn_dims(rows)
    low, high = dimension_range(dims)
    ticks = spaced_ticks(power_ticks(dims), low, high, PHONE_CHARACTERS)
    figure.update_xaxes(
        type="log", title="dimension n", tickvals=ticks, range=[log10(low), log10(high)]
    )
    return figure.update_yaxes(
        title="test accuracy, %", range=accuracy.shown_range(rows)
    ).update_layout(**LAYOUT)


def _reference(figure: Any, row: Averaged, style: FigureStyle) -> None:
    """A line across for what others are compared with, and around it its 95 % interval."""
    height = 100 * row.accuracy
    half = 100 * (row.margin or 0)
    text = f"{accuracy.label_of(row, style)}, n = {row.dim}: {height:.2f} %, {row.seeds} seeds"
    line = {"color": style.color, "dash": "longdash", "width": 1}
    figure.add_hline(y=height, line=line, annotation_text=text)
    figure.add_hrect(
        y0=height - half,
        y1=height + half,
        fillcolor=style.color,
        opacity=0.08,
        line_width=0,
    )


def _cosine(runs: Sequence[Trained]) -> Any:
    figure = require("plotly.graph_objects").Figure()
    placed = [run for run in runs if run.max_cosine is not None]
    for scheme, style in scheme_styles(
        dict.fromkeys(run.scheme for run in placed)
    ).items():
        own = [run for run in placed if run.scheme == scheme]
        figure.add_scatter(
            x=[run.max_cosine for run in own],
            y=[100 * run.accuracy for run in own],
            name=style.label,
            mode="markers",
            marker={
                "size": 9,
                "color": style.color,
                "symbol": SYMBOLS.get(style.marker, "cross"),
            },
            customdata=[[run.dim, run.mapping, run.seed] for run in own],
            hovertemplate="cos %{x:.4f}: %{y:.2f} %<br>n = %{customdata[0]}, %{customdata[1]}, seed %{customdata[2]}",
        )
    for row in accuracy.reference_rows(runs):
        _reference(figure, row, scheme_styles([row.scheme])[row.scheme])
    line = accuracy.line_through(runs)
    if line is not None:
        ends, heights = accuracy.regression_ends(line, runs)
        figure.add_scatter(
            x=ends,
            y=heights,
            mode="lines",
            name=accuracy.equation(line),
            line={"color": "#444444"},
        )
    figure.update_xaxes(title="largest cosine of two prototypes").update_yaxes(
        title="test accuracy, %"
    )
    return figure.update_yaxes(range=accuracy.shown_range(runs)).update_layout(**LAYOUT)


def _separation(num_classes: int, rows: Sequence[Averaged]) -> list[Row]:
    """Each code's largest cosine beside what is achievable and what is impossible."""
    placed = [
        (row.scheme, row.dim, row.max_cosine) for row in rows if row.mapping == "fixed"
    ]
    seen = sorted(
        {
            (scheme, dim, round(cosine, 9))
            for scheme, dim, cosine in placed
            if cosine is not None
        }
    )
    bounds = {
        dim: limits(num_classes, dim) for dim in sorted({dim for _, dim, _ in seen})
    }
    return [
        {
            "scheme": scheme,
            "n": dim,
            "max cosine": f"{cosine:.4f}",
            "no code is below": f"{float(bounds[dim].converse):.4f} ({bounds[dim].converse.theorem})",
            "some code reaches": ""
            if (best := bounds[dim].achievable) is None
            else f"{float(best):.4f}",
        }
        for scheme, dim, cosine in seen
    ]


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>none</p>"
    numbers = {
        name
        for row in rows
        for name, value in row.items()
        if isinstance(value, (int, float))
    }
    columns = dict.fromkeys(name for row in rows for name in row)
    head = "".join(
        f'<th class="n">{escape(n)}</th>' if n in numbers else f"<th>{escape(n)}</th>"
        for n in columns
    )
    body = "".join(
        f"<tr>{''.join(_cell(row.get(name)) for name in columns)}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: object) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is None:
        text = ""
    elif isinstance(value, float):
        text = f"{value:.4g}"
    else:
        text = str(value)
    return f'<td class="n">{text}</td>' if number else f"<td>{escape(text)}</td>"
