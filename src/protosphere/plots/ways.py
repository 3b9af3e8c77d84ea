"""Ways to train against the dimension: means over seeds with their 95 % intervals."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from protosphere.intervals import Compared
from protosphere.plots.style import SPARE, STYLES, dimension_axis, new_panels

LOOKS = tuple((style.color, style.marker or "o") for style in STYLES.values()) + tuple(each[:2] for each in SPARE)

FITS_TWICE = 40
"""Letters of a name up to which two stand side by side."""

LEAST_RATIO = 1.15
"""Of two dimensions, for the labels of both to have room."""


def ways_figure(rows: Sequence[Compared], metric: str) -> Any:
    """A line a way, in the order they come; one that has a single dimension is a line across the figure."""
    with new_panels(4.2) as (figure, ax):
        for way, (color, marker) in zip(dict.fromkeys(row.way for row in rows), cycle(LOOKS), strict=False):
            own = [row for row in rows if row.way == way]
            dims, means = [row.dim for row in own], [row.mean.value for row in own]
            margins = [row.mean.margin or 0.0 for row in own]
            if len(own) == 1:
                ax.axhline(means[0], color=color, linestyle="--", linewidth=1, label=f"{way}, n = {dims[0]}")
            else:
                ax.errorbar(dims, means, margins, color=color, marker=marker, capsize=2, elinewidth=0.7, label=way)
        dimension_axis(ax, _told_apart(sorted({row.dim for row in rows})))
        ax.set_ylabel(f"{metric}, %" if metric.endswith("accuracy") else metric)
        columns = 2 if max(len(row.way) for row in rows) <= FITS_TWICE else 1
        figure.legend(loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _told_apart(dims: Sequence[int]) -> list[int]:
    """Of rising dimensions those that have room for a label."""
    shown: list[int] = []
    for dim in dims:
        if not shown or dim >= LEAST_RATIO * shown[-1]:
            shown.append(dim)
    return shown
