"""How everything looks: one colour, marker and line for each scheme, told apart without colour as well."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import cycle
from math import log
from typing import Any

from protosphere.extras import require

COLUMN_INCHES = 5.5
"""The width of a column of text, so that letters are as large on paper as they say."""

COLUMN_CHARACTERS = 64
"""Characters of a tick's label that fit along the horizontal axis of a figure as wide as a column."""

TICK_GAP_CHARACTERS = 1.0
"""Empty space between the labels of two ticks."""

DIMENSION_MARGIN = 1.08
"""How far an axis of dimensions goes beyond the smallest and the largest, as a factor."""

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
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
"""Markers that are all edge, with nothing to fill."""


@dataclass(frozen=True)
class SchemeStyle:
    """How one scheme is drawn. Colours are those of Okabe and Ito, which the colour-blind tell apart."""

    label: str
    color: str
    marker: str
    line: Any
    width: float = 1.2
    size: float = 7.5

    def points(self, factor: float = 1.0) -> dict[str, Any]:
        """How matplotlib draws it where there is no line: a ring for what is a line alone, to be seen around others."""
        if not self.marker:
            look = {
                "marker": "o",
                "markerfacecolor": "none",
                "markeredgecolor": self.color,
                "markeredgewidth": 1.5,
            }
            return look | {"markersize": 1.7 * factor * self.size}
        edge, width = (
            (self.color, 1.5) if self.marker in LINE_MARKERS else ("white", 0.6)
        )
        look = {
            "marker": self.marker,
            "markeredgecolor": edge,
            "markeredgewidth": width,
        }
        return look | {"markersize": factor * self.size}


STYLES = {
    "one_hot": SchemeStyle("one-hot", "#000000", "s", "none"),
    "simplex": SchemeStyle("simplex (Kasarla et al.)", "#D55E00", "*", "none", size=12),
    "cross_polytope": SchemeStyle("cross-polytope", "#CC79A7", "D", "none"),
    "best": SchemeStyle("best known (this library)", "#CC0000", "", "-", width=2.0),
    "uniform": SchemeStyle("uniform", "#999999", ".", ":"),
    "reed_muller": SchemeStyle("Reed-Muller", "#0072B2", "o", "-"),
    "bch": SchemeStyle("BCH", "#E69F00", "^", "--"),
    "reed_solomon": SchemeStyle("Reed-Solomon", "#56B4E9", "x", (0, (1, 1)), width=0.8),
    "mean_row_max": SchemeStyle("mean row max (Mettes et al.)", "#009E73", "v", "-."),
    "learned layer": SchemeStyle("learned layer", "#444444", "_", (0, (6, 2))),
    "learned bottleneck": SchemeStyle(
        "learned bottleneck", "#6B6B6B", "d", (0, (2, 1))
    ),
    "log_sum_exp": SchemeStyle("log-sum-exp", "#882255", "P", (0, (5, 1, 1, 1, 1, 1))),
}
SPARE = (
    ("#332288", "h", (0, (3, 1))),
    ("#117733", "<", (0, (6, 2))),
    ("#AA4499", ">", (0, (2, 2))),
    ("#44AA99", "p", (0, (4, 1, 1, 1))),
    ("#661100", "d", (0, (8, 1))),
    ("#888888", "8", (0, (1, 2))),
)
"""For schemes without a style of their own, in the order in which they come."""


def scheme_styles(schemes: Iterable[str]) -> dict[str, SchemeStyle]:
    """A style for each scheme; those we have not met before take the spare ones in turn."""
    spare = cycle(SPARE)
    return {
        name: STYLES.get(name) or SchemeStyle(name.replace("_", " "), *next(spare))
        for name in schemes
    }


def styled() -> AbstractContextManager[None]:
    """Draw with our settings, and leave the caller's matplotlib as it was."""
    return require("matplotlib").rc_context(RC)


def new_figure(width: float, height: float) -> Any:
    """An empty figure that belongs to no window and to no global state. To be called within `styled`."""
    return require("matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )


@contextmanager
def new_panels(
    height: float, width: float = COLUMN_INCHES, **subplots: Any
) -> Generator[tuple[Any, Any]]:
    """A new figure and its panels, a single one unless `subplots` says otherwise, drawn with our settings."""
    with styled():
        figure = new_figure(width, height)
        yield figure, figure.subplots(**subplots)


def dimension_axis(
    ax: Any, dims: Sequence[int], ticks: Sequence[int] | None = None
) -> None:
    """Make the horizontal axis logarithmic, from the smallest of `dims` to the largest.

    Args:
        ax: Panel whose axis is set.
        dims: Dimensions that are drawn.
        ticks: Dimensions to label, all that are drawn unless given; those without room for a label have no tick.
    """
    low, high = dimension_range(dims)
    shown = spaced_ticks(dims if ticks is None else ticks, low, high, COLUMN_CHARACTERS)
    ax.set_xscale("log", base=2)
    ax.set_xticks(shown, [str(dim) for dim in shown])
    ax.set_xlim(low, high)
    ax.minorticks_off()
    ax.set_xlabel("dimension n")


def dimension_range(dims: Sequence[int]) -> tuple[float, float]:
    """Return the limits of an axis that shows `dims`, with a margin on both sides."""
    return min(dims) / DIMENSION_MARGIN, max(dims) * DIMENSION_MARGIN


def power_ticks(dims: Sequence[int]) -> list[int]:
    """Return the powers of two from the smallest of `dims` to the largest, or all of `dims` if there is none."""
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
    """Return the ticks inside a logarithmic axis whose labels do not touch each other.

    Args:
        ticks: Values that should be labeled.
        low: Left end of the axis.
        high: Right end of the axis.
        characters: Number of characters that fit side by side along the axis.

    Returns:
        The ticks in rising order. A tick that is too near its left neighbor is left out.
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
