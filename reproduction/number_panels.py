"""A figure of accuracy against statistics of codes, with one panel for each statistic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protosphere.constructions.traits import FigureStyle
from protosphere.plots.style import new_panels, scheme_styles

COLUMNS = 2
MAPPING_COLORS = {
    "fixed": "#000000",
    "random": "#999999",
    "align": "#009E73",
    "oppose": "#D55E00",
}
LOOK: Mapping[str, Any] = {
    "linestyle": "none",
    "markersize": 4,
    "alpha": 0.75,
    "markeredgewidth": 0.5,
}

SPARE_MARKERS = (
    "D",
    "X",
    "<",
    ">",
    "h",
    "p",
    "d",
    "8",
    "H",
    "1",
    "2",
    "3",
    "4",
    "|",
    "_",
)
"""Markers for schemes whose own marker another scheme uses."""


@dataclass(frozen=True)
class Panel:
    """Content of the panel of one statistic.

    Attributes:
        name: Name of the statistic.
        caption: Title of the panel.
        points: One tuple (scheme, mapping, value of the statistic, accuracy in percent) for each configuration.
    """

    name: str
    caption: str
    points: Sequence[tuple[str, str, float, float]]


def numbers_figure(panels: Sequence[Panel], title: str) -> Any:
    """Return a matplotlib figure of accuracy against each statistic.

    Markers distinguish schemes, and colors distinguish mappings. All panels have the same axis of accuracies.

    Args:
        panels: Contents of the panels.
        title: Title of the figure.
    """
    points = [point for panel in panels for point in panel.points]
    styles = scheme_styles(dict.fromkeys(scheme for scheme, *_ in points))
    markers = _different_markers(styles)
    rows = -(-len(panels) // COLUMNS)
    with new_panels(
        1.6 + 2.0 * rows, nrows=rows, ncols=COLUMNS, sharey=True, squeeze=False
    ) as (figure, axes):
        for ax, panel in zip(axes.flat, panels, strict=False):
            for scheme, mapping, number, accuracy in panel.points:
                ax.plot(
                    number,
                    accuracy,
                    marker=markers[scheme],
                    color=MAPPING_COLORS[mapping],
                    **LOOK,
                )
            ax.set(xlabel=panel.name, title=panel.caption)
        for ax in list(axes.flat)[len(panels) :]:
            ax.set_axis_off()
        for ax in axes[:, 0]:
            ax.set_ylabel("test accuracy, %")
        figure.suptitle(title, fontsize="medium")
        entries = [
            (styles[scheme].label, marker, "#444444")
            for scheme, marker in markers.items()
        ]
        used = {mapping for _, mapping, *_ in points}
        entries += [
            (f"{mapping} mapping", "s", color)
            for mapping, color in MAPPING_COLORS.items()
            if mapping in used
        ]
        empty = [
            axes[0, 0].plot([], [], label=label, marker=m, color=color, **LOOK)[0]
            for label, m, color in entries
        ]
        figure.legend(handles=empty, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _different_markers(styles: Mapping[str, FigureStyle]) -> dict[str, str]:
    """Return a marker for each scheme. If two schemes have the same marker, one of them gets a spare marker."""
    found: dict[str, str] = {}
    for scheme, style in styles.items():
        free = (
            marker
            for marker in (style.marker, *SPARE_MARKERS)
            if marker and marker not in found.values()
        )
        found[scheme] = next(free, "o")
    return found
