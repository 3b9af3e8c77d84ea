"""Accuracy against several numbers of a code, a panel each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protosphere.plots.style import COLUMN_INCHES, SchemeStyle, new_figure, scheme_styles, styled

COLUMNS = 2
MAPPING_COLORS = {"fixed": "#000000", "random": "#999999", "align": "#009E73", "oppose": "#D55E00"}

SPARE_MARKERS = ("D", "X", "<", ">", "h", "p", "d", "8", "H", "1", "2", "3", "4", "|", "_")
"""For schemes that share theirs with another."""


@dataclass(frozen=True)
class Panel:
    """One number: its name, what is said of it, and the points as (scheme, mapping, number, accuracy in per cent)."""

    name: str
    caption: str
    points: Sequence[tuple[str, str, float, float]]


def numbers_figure(panels: Sequence[Panel], title: str) -> Any:
    """Markers are schemes, colours are mappings; the axis of accuracies is shared."""
    schemes = dict.fromkeys(point[0] for panel in panels for point in panel.points)
    mappings = [m for m in MAPPING_COLORS if any(point[1] == m for panel in panels for point in panel.points)]
    markers = _different_markers(scheme_styles(schemes))
    with styled():
        rows = -(-len(panels) // COLUMNS)
        figure = new_figure(COLUMN_INCHES, 1.0 + 2.0 * rows)
        axes: Any = figure.subplots(rows, COLUMNS, sharey=True, squeeze=False)
        for ax, panel in zip(axes.flat, panels, strict=False):
            _draw_panel(ax, panel, markers)
        for ax in list(axes.flat)[len(panels) :]:
            ax.set_axis_off()
        for ax in axes[:, 0]:
            ax.set_ylabel("test accuracy, %")
        figure.suptitle(title, fontsize=8)
        handles = _handles(axes[0, 0], markers, mappings)
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _different_markers(styles: Mapping[str, SchemeStyle]) -> dict[str, tuple[str, str]]:
    """Label and marker of each scheme: its own, or where another has that, one to spare."""
    found: dict[str, tuple[str, str]] = {}
    for scheme, style in styles.items():
        taken = {marker for _, marker in found.values()}
        free = next((marker for marker in (style.marker, *SPARE_MARKERS) if marker and marker not in taken), "o")
        found[scheme] = (style.label, free)
    return found


def _draw_panel(ax: Any, panel: Panel, markers: Mapping[str, tuple[str, str]]) -> None:
    for scheme, mapping, number, accuracy in panel.points:
        ax.plot(number, accuracy, **_look(markers[scheme][1], MAPPING_COLORS[mapping]))
    ax.set(xlabel=panel.name, title=panel.caption)


def _look(marker: str, color: str) -> dict[str, Any]:
    return {
        "marker": marker,
        "color": color,
        "linestyle": "none",
        "markersize": 4,
        "alpha": 0.75,
        "markeredgewidth": 0.5,
    }


def _handles(ax: Any, markers: Mapping[str, tuple[str, str]], mappings: Sequence[str]) -> list[Any]:
    """Entries of the legend, drawn with no points."""
    looks = [(label, _look(marker, "#444444")) for label, marker in markers.values()]
    looks += [(f"{mapping} mapping", _look("s", MAPPING_COLORS[mapping])) for mapping in mappings]
    return [ax.plot([], [], label=label, **look)[0] for label, look in looks]
