"""All cosines of one code beside another's: a panel each, over one axis."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.bounds.bound import short_cosine
from protosphere.constructions.traits import FigureStyle
from protosphere.plots.figure_files import figure_path, save_figure
from protosphere.plots.style import new_panels, scheme_styles
from protosphere.spherical.cosines import BINS, CosineBin, CosineCounts, cosine_counts
from protosphere.spherical.spherical_code import SphericalCode

NEARLY_OPPOSED = -0.9
"""Where no other cosine is this low, pairs at -1 are told in a note: one bar would stretch the axis for nothing."""


def draw_histogram(
    codes: SphericalCode | Sequence[SphericalCode],
    path: str | Path,
    *,
    bins: int = BINS,
) -> Path:
    """Draw the cosines of one or several codes as the .png, .pdf or .svg that `path` ends in."""
    figure_path(path)
    given = (codes,) if isinstance(codes, SphericalCode) else tuple(codes)
    return save_figure(
        histogram_figure([cosine_counts(code, bins) for code in given]), path
    )


def histogram_figure(counts: Sequence[CosineCounts]) -> Any:
    """The matplotlib figure: exact cosines as bars at their place, binned ones as steps."""
    styles = scheme_styles(dict.fromkeys(count.scheme for count in counts))
    height = 0.6 + 0.95 * len(counts)
    with new_panels(height, nrows=len(counts), sharex=True, squeeze=False) as (
        figure,
        panels,
    ):
        panels[0, 0].set_xlim(*_extent(counts))  # and of the others, which share it
        for ax, count in zip(panels.flat, counts, strict=True):
            _draw_panel(ax, count, styles[count.scheme])
        panels[-1, 0].set_xlabel("cosine of two prototypes")
        figure.supylabel("percent of pairs", fontsize=8)
        classes = ", ".join(map(str, sorted({count.num_classes for count in counts})))
        figure.suptitle(
            f"K = {classes} prototypes; dashed: the largest cosine", fontsize=8
        )
    return figure


def _draw_panel(ax: Any, count: CosineCounts, style: FigureStyle) -> None:
    low, high = ax.get_xlim()
    shown = [b for b in count.bins if float(b.low) >= low]
    if count.exact:
        middles = [b.middle for b in shown]
        heights = [100 * b.pairs / count.pairs for b in shown]
        ax.bar(middles, heights, width=(high - low) / 120, color=style.color)
        ax.plot(
            middles, [0.0] * len(shown), ".", color=style.color, clip_on=False
        )  # where a bar is too low to see
    elif shown:
        heights, edges = _steps(shown, count.pairs)
        ax.stairs(heights, edges, color=style.color, fill=True, alpha=0.45)
        ax.stairs(heights, edges, color=style.color, linewidth=1.0)
    ax.axvline(
        float(count.max_cosine),
        color="#000000",
        linewidth=0.9,
        linestyle="--",
        zorder=0,
    )
    ax.margins(y=0.12)
    ax.locator_params(axis="y", nbins=4)
    ax.set_title(f"{style.label}, n = {count.dim}", loc="left", fontweight="bold")
    if isinstance(count.max_cosine, Fraction):
        largest = short_cosine(count.max_cosine)
    else:
        largest = f"{count.max_cosine:.4f}"
    hidden = sum(b.pairs for b in count.bins if float(b.low) < low)
    ax.set_title(
        f"max {largest}" + (f"; {hidden:,} pairs at -1 not shown" if hidden else ""),
        loc="right",
    )


def _steps(bins: Sequence[CosineBin], pairs: int) -> tuple[Any, Any]:
    """Heights and edges from the first filled bin to the last, the empty ones between them filled in."""
    width = min(float(b.high) - float(b.low) for b in bins)
    first = float(bins[0].low)
    places = [round((float(b.low) - first) / width) for b in bins]
    heights = np.zeros(places[-1] + 1)
    heights[places] = [100 * b.pairs / pairs for b in bins]
    return heights, first + width * np.arange(len(heights) + 1)


def _extent(counts: Sequence[CosineCounts]) -> tuple[float, float]:
    """The range of all cosines with a margin; without -1 where nothing else is near it."""
    lows = [float(b.low) for count in counts for b in count.bins]
    high = max(float(b.high) for count in counts for b in count.bins)
    others = min((low for low in lows if low > -1), default=-1.0)
    low = others if others > NEARLY_OPPOSED else min(lows)
    margin = 0.04 * (high - low) or 0.1
    return low - margin, high + margin
