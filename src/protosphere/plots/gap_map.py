"""Draw the atlas as a map: for each pair (K, n), the gap between the best known maximum cosine and the converse.

The converse is a proved lower bound on the maximum cosine of any K points in R^n.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.extras import require
from protosphere.plots.figure_files import figure_path, save_figure
from protosphere.plots.style import new_panels
from protosphere.tables.atlas import AtlasRow

OPTIMAL_COLOR = "#FFFFFF"
"""Color of pairs (K, n) whose code is proved optimal."""

UNKNOWN_COLOR = "#BBBBBB"
"""Color of pairs (K, n) that are not in the atlas."""

ROW_INCHES = 0.28
"""Height of a row of the map, in inches, if there are few rows."""

MAP_INCHES = 4.5
"""Largest height of all rows together, in inches."""

MOST_LABELED_ROWS = 16
"""Largest number of rows for which every row is labeled."""

MOST_LABELED_COLUMNS = 30
"""Largest number of columns of a map in which columns close to the last labeled column are labeled, too."""

GRID = {"edgecolors": "#DDDDDD", "linewidth": 0.2}


def draw_gap_map(rows: Sequence[AtlasRow], path: str | Path) -> Path:
    """Draw a map of the gaps between the best known maximum cosines and the converse, and write the map to a file.

    The map has a column for each dimension n and a row for each number of classes K. The converse is a proved lower
    bound on the maximum cosine of any K points in R^n.

    Args:
        rows: Rows of an atlas, each with K, n, the maximum cosine and the converse.
        path: File to write; it must end in .png, .pdf or .svg.

    Returns:
        The path of the written file.

    Raises:
        InvalidArgumentError: If `path` has another ending.
    """
    figure_path(path)
    return save_figure(gap_map_figure(rows), path)


def gap_map_figure(rows: Sequence[AtlasRow]) -> Any:
    """Return a matplotlib figure of gaps, with a column for each dimension n and a row for each number of classes K.

    A gap is the best known maximum cosine of K points in R^n minus the converse, which is a proved lower bound. The
    color shows the gap. White means that the code is proved optimal, and gray that the atlas has no code for K and n.

    Args:
        rows: Rows of an atlas, each with K, n, the maximum cosine and the converse.
    """
    counts = sorted({row.num_classes for row in rows})
    dims = sorted({row.dim for row in rows})
    gaps = np.full((len(counts), len(dims)), np.nan)
    optimal = np.full((len(counts), len(dims)), np.nan)
    for row in rows:
        matrix = optimal if row.optimal else gaps
        place = counts.index(row.num_classes), dims.index(row.dim)
        matrix[place] = row.max_cosine - row.converse
    white = require("matplotlib.colors").ListedColormap([OPTIMAL_COLOR])
    height = 0.9 + min(ROW_INCHES * len(counts), MAP_INCHES)
    with new_panels(height) as (figure, ax):
        ax.set_facecolor(UNKNOWN_COLOR)
        ax.pcolormesh(optimal, cmap=white, **GRID)
        image = ax.pcolormesh(gaps, cmap="viridis_r", vmin=0, **GRID)
        _label_axes(ax, counts, dims)
        bar = figure.colorbar(image, ax=ax, pad=0.02)
        bar.set_label("max cosine above the converse")
        bar.outline.set_visible(False)
        ax.set_title("best known codes; white: proved optimal", loc="left")
    return figure


def _label_axes(ax: Any, counts: Sequence[int], dims: Sequence[int]) -> None:
    columns = _labeled_columns(dims)
    rows = _labeled_rows(counts)
    ax.set_xticks([i + 0.5 for i in columns], [str(dims[i]) for i in columns])
    ax.set_yticks([i + 0.5 for i in rows], [f"{counts[i]:,}" for i in rows])
    ax.set(xlabel="n, dimensions (not evenly spaced)", ylabel="K, classes")
    ax.tick_params(length=2)


def _labeled_columns(dims: Sequence[int]) -> list[int]:
    powers = [i for i, dim in enumerate(dims) if dim & (dim - 1) == 0]
    columns = powers or list(range(len(dims)))
    if len(dims) <= MOST_LABELED_COLUMNS:
        return columns
    # Columns close to the last labeled one get no label, so that labels do not overlap.
    last = columns[-1]
    distant = [i for i in columns if last - i >= len(dims) / 10]
    return [*distant, last]


def _labeled_rows(counts: Sequence[int]) -> list[int]:
    if len(counts) <= MOST_LABELED_ROWS:
        return list(range(len(counts)))
    # Otherwise only powers of ten.
    return [i for i, count in enumerate(counts) if str(count).strip("0") == "1"]
