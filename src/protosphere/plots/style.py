"""Styles of figures. Each scheme has a color, a marker and a line style, so that it can be recognized without color.

A learned head is a last layer that is trained; it has no fixed prototypes. A panel is a part of a figure with its own
axes.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import cycle
from math import log
from typing import Any

from protosphere.constructions.registry import CONSTRUCTIONS
from protosphere.constructions.traits import FigureStyle, LineStyle
from protosphere.extras import require

COLUMN_INCHES = 5.5
"""Width of a figure in inches. It is the width of a column of text, so that font sizes are correct in print."""

COLUMN_CHARACTERS = 52
"""Number of characters of tick labels that fit along the horizontal axis of a figure of width `COLUMN_INCHES`."""

TICK_GAP_CHARACTERS = 1.0
"""Smallest gap between the labels of two ticks, in characters."""

DIMENSION_MARGIN = 1.08
"""Factor by which an axis of dimensions extends beyond the smallest and the largest dimension."""

# 8.5 points in a figure of 5.5 inches are seven pixels on a phone that is 390 pixels wide.
RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.5,
    "legend.fontsize": 8.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.5,
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,  # letters stay letters: searchable, editable
    "svg.hashsalt": "protosphere",  # the same figure, the same bytes
    "text.usetex": False,
}

LINE_MARKERS = "x+_|1234"
"""Markers that consist of lines, without an area to fill."""


def point_look(style: FigureStyle, factor: float = 1.0) -> dict[str, Any]:
    """Return the matplotlib arguments for the marker of a style.

    If the style has no marker, the arguments draw a ring, which is visible around other markers.

    Args:
        style: Style of a scheme.
        factor: Factor by which the size of the marker is multiplied.
    """
    if not style.marker:
        return {
            "marker": "o",
            "markerfacecolor": "none",
            "markeredgecolor": style.color,
            "markeredgewidth": 1.5,
            "markersize": 1.7 * factor * style.size,
        }
    without_area = style.marker in LINE_MARKERS
    return {
        "marker": style.marker,
        "markeredgecolor": style.color if without_area else "white",
        "markeredgewidth": 1.5 if without_area else 0.6,
        "markersize": factor * style.size,
    }


LEARNED_STYLES = {
    "learned layer": FigureStyle("learned layer", "#444444", "_", (0, (6, 2))),
    "learned bottleneck": FigureStyle(
        "learned bottleneck", "#6B6B6B", "d", (0, (2, 1))
    ),
}
"""Styles of the learned heads with which experiments compare fixed prototypes."""

SPARE: tuple[tuple[str, str, LineStyle], ...] = (
    ("#332288", "h", (0, (3, 1))),
    ("#117733", "<", (0, (6, 2))),
    ("#AA4499", ">", (0, (2, 2))),
    ("#44AA99", "p", (0, (4, 1, 1, 1))),
    ("#661100", "d", (0, (8, 1))),
    ("#888888", "8", (0, (1, 2))),
)
"""Colors, markers and lines for schemes that declare no style. They are assigned in this order."""


def own_style(scheme: str) -> FigureStyle | None:
    """Return the style that a scheme declares, or the style of a learned head.

    Args:
        scheme: Name of a scheme, or of a learned head: 'learned layer' or 'learned bottleneck'.

    Returns:
        The style. None if the scheme declares no style, or if there is no scheme and no learned head of this name.
    """
    if scheme in CONSTRUCTIONS:
        return CONSTRUCTIONS[scheme].traits.style
    return LEARNED_STYLES.get(scheme)


def scheme_styles(schemes: Iterable[str]) -> dict[str, FigureStyle]:
    """Return a mapping from each scheme to its color, marker and line style.

    A scheme that declares no style gets one of six spare styles. The spare styles are given out in a fixed order, and
    repeat after the sixth.

    Args:
        schemes: Names of schemes and of learned heads ('learned layer' or 'learned bottleneck').
    """
    spare = cycle(SPARE)
    styles: dict[str, FigureStyle] = {}
    for name in schemes:
        style = own_style(name)
        if style is None:
            color, marker, line = next(spare)
            style = FigureStyle(name.replace("_", " "), color, marker, line)
        styles[name] = style
    return styles


def styled() -> AbstractContextManager[None]:
    """Return a context manager that applies this package's matplotlib settings and restores the previous ones."""
    return require("matplotlib").rc_context(RC)


def new_figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure, without a window or global state.

    Call this function within the context manager `styled`.

    Args:
        width: Width in inches.
        height: Height in inches.
    """
    return require("matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )


@contextmanager
def new_panels(
    height: float, width: float = COLUMN_INCHES, **subplots: Any
) -> Generator[tuple[Any, Any]]:
    """Return a context manager that yields a new figure and its panels (matplotlib's Axes).

    Within the `with` block, this package's matplotlib settings apply.

    Args:
        height: Height in inches.
        width: Width in inches.
        subplots: Arguments of `Figure.subplots`. Without them, the figure has one panel.
    """
    with styled():
        figure = new_figure(width, height)
        yield figure, figure.subplots(**subplots)


def dimension_axis(
    ax: Any, dims: Sequence[int], ticks: Sequence[int] | None = None
) -> None:
    """Make the horizontal axis of a panel a logarithmic axis of dimensions that shows all of `dims`.

    Args:
        ax: Panel whose axis is set.
        dims: Dimensions that are drawn.
        ticks: Dimensions to label. If None, all of `dims` are labeled. A dimension without enough space for its label
            gets no tick.
    """
    low, high = dimension_range(dims)
    shown = spaced_ticks(dims if ticks is None else ticks, low, high, COLUMN_CHARACTERS)
    ax.set_xscale("log", base=2)
    ax.set_xticks(shown, [str(dim) for dim in shown])
    ax.set_xlim(low, high)
    ax.minorticks_off()
    ax.set_xlabel("dimension n")


def dimension_range(dims: Sequence[int]) -> tuple[float, float]:
    """Return the left and the right end of a logarithmic axis that shows `dims`, with a margin on both sides."""
    return min(dims) / DIMENSION_MARGIN, max(dims) * DIMENSION_MARGIN


def power_ticks(dims: Sequence[int]) -> list[int]:
    """Return the powers of two from the smallest to the largest of `dims`, or all of `dims` if there is no such power.

    The numbers are in ascending order.
    """
    low = min(dims)
    high = max(dims)
    powers = [
        1 << exponent
        for exponent in range(high.bit_length())
        if low <= 1 << exponent <= high
    ]
    return powers or sorted(set(dims))


def spaced_ticks(
    ticks: Iterable[int], low: float, high: float, characters: float
) -> list[int]:
    """Return the ticks of a logarithmic axis whose labels fit without touching each other.

    Args:
        ticks: Values that should be labeled.
        low: Left end of the axis.
        high: Right end of the axis.
        characters: Number of characters that fit side by side along the axis.

    Returns:
        The ticks in ascending order. A tick that is outside the axis or too close to its left neighbor is left out.
    """
    shown: list[int] = []
    for tick in sorted(set(ticks)):
        if not low <= tick <= high:
            continue
        if shown:
            distance = characters * log(tick / shown[-1]) / log(high / low)
            label_width = (len(str(tick)) + len(str(shown[-1]))) / 2
            if distance < label_width + TICK_GAP_CHARACTERS:
                continue
        shown.append(tick)
    return shown
