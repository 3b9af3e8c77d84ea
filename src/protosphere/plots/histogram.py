"""Figures with histograms of the cosines of all pairs of points, one panel per code, with a common axis.

If the cosines of a code are exact fractions, a panel shows a bar for each of them. Otherwise, the panel shows how many
pairs have a cosine in each of several intervals.
"""

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
from protosphere.types import Cosine

NEARLY_ANTIPODAL = -0.9
"""If all cosines other than -1 are larger than this number, the axis does not show the cosine -1.

The axis then begins near the second smallest cosine, and a note says how many pairs are antipodal.
"""


def draw_histogram(
    codes: SphericalCode | Sequence[SphericalCode],
    path: str | Path,
    *,
    bins: int = BINS,
) -> Path:
    """Draw histograms of the cosines of all pairs of points, for one or several codes, and write them to a file.

    Args:
        codes: One code, or a sequence of codes.
        path: File to write; it must end in .png, .pdf or .svg.
        bins: Number of intervals of equal length into which [-1, 1] is divided. If the cosines of a code are exact
            fractions, no intervals are used for this code.

    Returns:
        The path of the written file.

    Raises:
        InvalidArgumentError: If `path` has none of these endings.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> import protosphere as ps
        >>> from protosphere.plots import draw_histogram
        >>> with TemporaryDirectory() as folder:
        ...     draw_histogram(ps.construct("simplex", num_classes=10, dim=9), f"{folder}/cosines.png").name
        'cosines.png'
    """
    figure_path(path)
    given = (codes,) if isinstance(codes, SphericalCode) else tuple(codes)
    counts = [cosine_counts(code, bins) for code in given]
    return save_figure(histogram_figure(counts), path)


def histogram_figure(counts: Sequence[CosineCounts]) -> Any:
    """Return a matplotlib figure with one panel per code, a histogram of the cosines of its pairs of points.

    If the cosines of a code are exact fractions, the panel shows a bar for each of these cosines. Otherwise, the panel
    shows a step for each interval of cosines.

    Args:
        counts: For each code, how many pairs of points have each exact cosine, or a cosine in each interval.
    """
    styles = scheme_styles(dict.fromkeys(count.scheme for count in counts))
    sizes = sorted({count.num_classes for count in counts})
    classes = ", ".join(str(size) for size in sizes)
    height = 0.6 + 0.95 * len(counts)
    layout = new_panels(height, nrows=len(counts), sharex=True, squeeze=False)
    with layout as (figure, panels):
        panels[0, 0].set_xlim(*_extent(counts))  # the other panels share this axis
        for ax, count in zip(panels.flat, counts, strict=True):
            _draw_panel(ax, count, styles[count.scheme])
        panels[-1, 0].set_xlabel("cosine of two prototypes")
        figure.supylabel("percent of pairs", fontsize="medium")
        figure.suptitle(
            f"K = {classes} prototypes; dashed: the maximum cosine", fontsize="medium"
        )
    return figure


def _draw_panel(ax: Any, count: CosineCounts, style: FigureStyle) -> None:
    low, high = ax.get_xlim()
    shown = [entry for entry in count.bins if float(entry.low) >= low]
    # cosines -1 to the left of the axis; the title says how many there are
    hidden = [entry for entry in count.bins if float(entry.low) < low]
    if count.exact:
        _draw_bars(ax, shown, count.pairs, (high - low) / 120, style.color)
    elif shown:
        heights, edges = _step_heights_and_edges(shown, count.pairs)
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
    note = f"max {_cosine_text(count.max_cosine)}"
    if hidden:
        pairs = sum(entry.pairs for entry in hidden)
        note += f"; {pairs:,} pairs at -1 not shown"
    ax.set_title(note, loc="right")


def _draw_bars(
    ax: Any, bins: Sequence[CosineBin], pairs: int, width: float, color: str
) -> None:
    middles = [entry.middle for entry in bins]
    heights = [100 * entry.pairs / pairs for entry in bins]
    ax.bar(middles, heights, width=width, color=color)
    ax.plot(middles, [0.0] * len(bins), ".", color=color, clip_on=False)


def _cosine_text(cosine: Cosine) -> str:
    if isinstance(cosine, Fraction):
        return short_cosine(cosine)
    return f"{cosine:.4f}"


def _step_heights_and_edges(bins: Sequence[CosineBin], pairs: int) -> tuple[Any, Any]:
    width = min(float(entry.high) - float(entry.low) for entry in bins)
    first = float(bins[0].low)
    # missing intervals between the first and the last one have height 0
    places = [round((float(entry.low) - first) / width) for entry in bins]
    heights = np.zeros(places[-1] + 1)
    heights[places] = [100 * entry.pairs / pairs for entry in bins]
    edges = first + width * np.arange(len(heights) + 1)
    return heights, edges


def _extent(counts: Sequence[CosineCounts]) -> tuple[float, float]:
    lows: list[float] = []
    highs: list[float] = []
    for count in counts:
        lows += [float(entry.low) for entry in count.bins]
        highs += [float(entry.high) for entry in count.bins]
    low = min(lows)
    high = max(highs)
    second_lowest = min((value for value in lows if value > -1), default=-1.0)
    if second_lowest > NEARLY_ANTIPODAL:
        low = second_lowest
    margin = 0.04 * (high - low) or 0.1
    return low - margin, high + margin
