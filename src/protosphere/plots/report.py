"""One page for a browser, with everything in it: no network, no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from protosphere.constructions.comparison import limits
from protosphere.extras import require
from protosphere.plots.accuracy import Averaged, Trained, averages, line_through, spelled
from protosphere.plots.style import SchemeStyle, scheme_styles

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1080px; padding: 0 1rem; color: #222; }
h1, h2 { font-weight: 600; } table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; }
th { border-bottom: 2px solid #888; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
p.note { color: #555; } details { margin: 1rem 0; }
"""
LAYOUT: Mapping[str, Any] = {
    "template": "plotly_white",
    "height": 480,
    "margin": {"t": 30, "b": 30},
    "legend": {"orientation": "h", "y": -0.2},
}
SYMBOLS = {"s": "square", "*": "star", "D": "diamond", ".": "circle", "o": "circle", "^": "triangle-up", "x": "x"}
Row = Mapping[str, Any]


def report_page(
    title: str, num_classes: int, runs: Sequence[Trained], rows: Sequence[Row], claims: Sequence[Row]
) -> str:
    """The page: accuracy against n and against max cosine, separation and bounds, all runs, and the claims.

    Args:
        title: of the page.
        num_classes: K, for the bounds.
        runs: those that were finished.
        rows: of the table of all runs.
        claims: of the ledger; none for no ledger.
    """
    figures = [_accuracy(averages(runs)), _cosine(runs)] if runs else []
    drawn = [
        figure.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, figure in enumerate(figures)
    ]
    parts = [f"<h1>{escape(title)}</h1>", _summary(runs, rows)]
    parts += [
        f"<h2>{name}</h2>{figure}" for name, figure in zip(("Accuracy", "Separation and accuracy"), drawn, strict=False)
    ]
    if runs:
        parts.append("<h2>Separation and bounds</h2>" + _table(_separation(num_classes, averages(runs))))
    parts.append("<h2>Runs</h2>" + _table(rows))
    if claims:
        parts.append("<h2>Claims of the paper</h2>" + _table(claims))
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _summary(runs: Sequence[Trained], rows: Sequence[Row]) -> str:
    others = len(rows) - len(runs)
    line = line_through(runs)
    slope = f" Accuracy in per cent against max cosine: {escape(spelled(line))}." if line else ""
    return f'<p class="note">{len(runs)} runs finished, {others} infeasible or failed.{slope}</p>'


def _accuracy(rows: Sequence[Averaged]) -> Any:
    figure = require("plotly.graph_objects").Figure()
    styles = scheme_styles(dict.fromkeys(row.scheme for row in rows))
    for scheme, mapping in sorted({(row.scheme, row.mapping) for row in rows}):
        own = [row for row in rows if (row.scheme, row.mapping) == (scheme, mapping)]
        figure.add_scatter(
            x=[row.dim for row in own],
            y=[100 * row.accuracy for row in own],
            error_y={"type": "data", "array": [100 * (row.deviation or 0) for row in own], "thickness": 1},
            name=styles[scheme].label + (", random mapping" if mapping == "random" else ""),
            mode="lines+markers" if len(own) > 1 else "markers",
            line={"color": styles[scheme].color, "dash": "dash" if mapping == "random" else "solid"},
            marker={"size": 9, "symbol": _symbol(styles[scheme], mapping)},
            customdata=[[row.max_cosine, row.seeds] for row in own],
            hovertemplate="n = %{x}: %{y:.2f} %<br>max cosine %{customdata[0]:.4f}, %{customdata[1]} seeds",
        )
    figure.update_xaxes(type="log", title="dimension n", tickvals=sorted({row.dim for row in rows}))
    return figure.update_yaxes(title="test accuracy, %").update_layout(**LAYOUT)


def _symbol(style: SchemeStyle, mapping: str) -> str:
    """The scheme's own, hollow for random mappings."""
    return SYMBOLS.get(style.marker, "cross") + ("-open" if mapping == "random" else "")


def _cosine(runs: Sequence[Trained]) -> Any:
    figure = require("plotly.graph_objects").Figure()
    for scheme, style in scheme_styles(dict.fromkeys(run.scheme for run in runs)).items():
        own = [run for run in runs if run.scheme == scheme]
        figure.add_scatter(
            x=[run.max_cosine for run in own],
            y=[100 * run.accuracy for run in own],
            name=style.label,
            mode="markers",
            marker={"size": 9, "color": style.color, "symbol": SYMBOLS.get(style.marker, "cross")},
            customdata=[[run.dim, run.mapping, run.seed] for run in own],
            hovertemplate="cos %{x:.4f}: %{y:.2f} %<br>n = %{customdata[0]}, %{customdata[1]}, seed %{customdata[2]}",
        )
    line = line_through(runs)
    if line is not None:
        ends = [min(run.max_cosine for run in runs), max(run.max_cosine for run in runs)]
        heights = [line.intercept + line.slope * x for x in ends]
        figure.add_scatter(x=ends, y=heights, mode="lines", name=spelled(line), line={"color": "#444444"})
    figure.update_xaxes(title="largest cosine of two prototypes").update_yaxes(title="test accuracy, %")
    return figure.update_layout(**LAYOUT)


def _separation(num_classes: int, rows: Sequence[Averaged]) -> list[Row]:
    """Each code's largest cosine beside what is achievable and what is impossible."""
    bounds = {dim: limits(num_classes, dim) for dim in sorted({row.dim for row in rows})}
    seen = sorted({(row.scheme, row.dim, round(row.max_cosine, 9)) for row in rows if row.mapping == "fixed"})
    return [
        {
            "scheme": scheme,
            "n": dim,
            "max cosine": f"{cosine:.4f}",
            "no code is below": f"{float(bounds[dim].converse):.4f} ({bounds[dim].converse.theorem})",
            "some code reaches": "" if (best := bounds[dim].achievable) is None else f"{float(best):.4f}",
        }
        for scheme, dim, cosine in seen
    ]


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>none</p>"
    numbers = {name for row in rows for name, value in row.items() if isinstance(value, (int, float))}
    head = "".join(f'<th class="n">{escape(n)}</th>' if n in numbers else f"<th>{escape(n)}</th>" for n in rows[0])
    body = "".join(f"<tr>{''.join(_cell(value) for value in row.values())}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f'<td class="n">{text}</td>' if number else f"<td>{escape(text)}</td>"
