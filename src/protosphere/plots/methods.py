"""Ways to train against the dimension: means over seeds with their 95 % intervals."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from protosphere.plots.style import SPARE, dimension_axis, new_panels
from protosphere.statistics.intervals import Compared

LOOKS = (
    ("#000000", "s"),
    ("#D55E00", "*"),
    ("#CC79A7", "D"),
    ("#CC0000", "o"),
    ("#999999", "."),
    ("#0072B2", "o"),
    ("#E69F00", "^"),
    ("#56B4E9", "x"),
    ("#009E73", "v"),
    ("#444444", "_"),
    ("#6B6B6B", "d"),
    ("#882255", "P"),
    *((color, marker) for color, marker, _ in SPARE),
)
"""Colors and markers of the methods, in the order in which they come."""

FITS_TWICE = 40
"""Letters of a name up to which two stand side by side."""


def ways_figure(rows: Sequence[Compared], metric: str) -> Any:
    """A line a way, in the order they come; one that has a single dimension is a line across the figure."""
    with new_panels(4.2) as (figure, ax):
        for way, (color, marker) in zip(
            dict.fromkeys(row.way for row in rows), cycle(LOOKS), strict=False
        ):
            own = [row for row in rows if row.way == way]
            dims = [row.dim for row in own]
            means = [row.mean.value for row in own]
            margins = [row.mean.margin or 0.0 for row in own]
            if len(own) == 1:
                ax.axhline(
                    means[0],
                    color=color,
                    linestyle="--",
                    linewidth=1,
                    label=f"{way}, n = {dims[0]}",
                )
            else:
                ax.errorbar(
                    dims,
                    means,
                    margins,
                    color=color,
                    marker=marker,
                    capsize=2,
                    elinewidth=0.7,
                    label=way,
                )
        dimension_axis(ax, _drawn_dims(rows))
        ax.set_ylabel(f"{metric}, %" if metric.endswith("accuracy") else metric)
        columns = 2 if max(len(row.way) for row in rows) <= FITS_TWICE else 1
        figure.legend(loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _drawn_dims(rows: Sequence[Compared]) -> list[int]:
    """Return the dimensions of the methods that have several: a line across the figure has no place on the axis."""
    dims_of: dict[str, list[int]] = {}
    for row in rows:
        dims_of.setdefault(row.way, []).append(row.dim)
    several = [dims for dims in dims_of.values() if len(dims) > 1] or list(
        dims_of.values()
    )
    return sorted({dim for dims in several for dim in dims})
