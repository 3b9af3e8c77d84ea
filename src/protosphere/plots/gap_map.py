"""The atlas as a map: how far the best known code of every (K, n) is from the converse."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.extras import require
from protosphere.plots.figure_files import figure_path, save_figure
from protosphere.plots.style import new_panels
from protosphere.tables.atlas import AtlasRow

OPTIMAL, UNKNOWN = "#FFFFFF", "#BBBBBB"
"""The colours of what is proved best, and of cells the atlas does not have."""

ROW_INCHES, ROWS_INCHES = 0.28, 4.5
"""The height of a row, and of all of them where they are many."""

NAMED_ROWS, NAMED_COLUMNS = 16, 30
"""More rows than that are named by powers of ten alone, and of more columns those near the last are not named."""


def draw_gap_map(rows: Sequence[AtlasRow], path: str | Path) -> Path:
    """Draw the rows of an atlas as the .png, .pdf or .svg that `path` ends in."""
    figure_path(path)
    return save_figure(gap_map_figure(rows), path)


def gap_map_figure(rows: Sequence[AtlasRow]) -> Any:
    """The matplotlib figure: dimensions across, classes up, a cell's colour its gap, white where it is optimal."""
    counts = sorted({row.num_classes for row in rows})
    dims = sorted({row.dim for row in rows})
    gaps, optimal = np.full((2, len(counts), len(dims)), np.nan)
    for row in rows:
        place = counts.index(row.num_classes), dims.index(row.dim)
        (optimal if row.optimal else gaps)[place] = row.max_cosine - row.converse
    with new_panels(0.9 + min(ROW_INCHES * len(counts), ROWS_INCHES)) as (figure, ax):
        ax.set_facecolor(UNKNOWN)
        grid = {"edgecolors": "#DDDDDD", "linewidth": 0.2}
        ax.pcolormesh(
            optimal, cmap=require("matplotlib.colors").ListedColormap([OPTIMAL]), **grid
        )
        image = ax.pcolormesh(gaps, cmap="viridis_r", vmin=0, **grid)
        _name_axes(ax, counts, dims)
        bar = figure.colorbar(image, ax=ax, pad=0.02)
        bar.set_label("max cosine above the converse")
        bar.outline.set_visible(False)
        ax.set_title("best known codes; white: proved optimal", loc="left")
    return figure


def _name_axes(ax: Any, counts: Sequence[int], dims: Sequence[int]) -> None:
    """Powers of two below, numbers of classes on the left, or powers of ten where they are many."""
    powers = [i for i, dim in enumerate(dims) if dim & (dim - 1) == 0] or list(
        range(len(dims))
    )
    powers = [
        i
        for i in powers
        if i == powers[-1]
        or powers[-1] - i >= len(dims) / 10
        or len(dims) <= NAMED_COLUMNS
    ]
    ax.set_xticks([i + 0.5 for i in powers], [str(dims[i]) for i in powers])
    tens = [
        i
        for i, count in enumerate(counts)
        if len(counts) <= NAMED_ROWS or str(count).strip("0") == "1"
    ]
    ax.set_yticks([i + 0.5 for i in tens], [f"{counts[i]:,}" for i in tens])
    ax.set(xlabel="n, dimensions (not evenly spaced)", ylabel="K, classes")
    ax.tick_params(length=2)
