"""Class similarity beside prototype similarity, both in the order of superclasses."""

from pathlib import Path
from typing import Any

import numpy as np

from protosphere.assignment.similarity import as_similarity
from protosphere.code.spherical_code import SphericalCode
from protosphere.plots.figure_files import figure_path, save_figure
from protosphere.plots.style import COLUMN_INCHES, new_figure, styled
from protosphere.types import Indices, Points


def draw_similarity(similarity: Any, code: SphericalCode, path: str | Path, *, groups: Indices | None = None) -> Path:
    """Draw both matrices as the .png, .pdf or .svg that `path` ends in; classes of one group side by side.

    `groups` are numbers of superclasses, one per class (`Taxonomy.groups`); without them classes are ordered by the
    first eigenvector of their similarity.
    """
    figure_path(path)
    S = as_similarity(similarity, code.num_classes)
    return save_figure(similarity_figure(S, code.points @ code.points.T, drawing_order(S, groups), groups), path)


def drawing_order(similarity: Points, groups: Indices | None) -> Indices:
    """The classes group by group, or along the direction in which they differ most."""
    if groups is not None:
        return np.argsort(groups, kind="stable")
    K = len(similarity)
    centring = np.eye(K) - 1 / K
    return np.argsort(np.linalg.eigh(centring @ similarity @ centring)[1][:, -1], kind="stable")


def similarity_figure(similarity: Points, cosines: Points, order: Indices, groups: Indices | None) -> Any:
    """The matplotlib figure."""
    with styled():
        figure = new_figure(COLUMN_INCHES, 0.56 * COLUMN_INCHES)
        panels = figure.subplots(1, 2)
        correlation = _correlation(similarity, cosines)
        titles = ("similarity of classes", f"cosine of prototypes, correlation {correlation:.2f}")
        for ax, matrix, title in zip(panels, (similarity, cosines), titles, strict=True):
            shown = np.array(matrix[np.ix_(order, order)])
            np.fill_diagonal(shown, np.nan)
            limit = float(np.nanquantile(np.abs(shown), 0.99)) or 1.0
            image = ax.imshow(shown, cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest")
            figure.colorbar(image, ax=ax, shrink=0.8)
            ax.set_title(title, loc="left")
            ax.set_xticks([])
            ax.set_yticks([])
            for edge in () if groups is None else np.flatnonzero(np.diff(groups[order])):
                ax.axhline(edge + 0.5, color="#000000", linewidth=0.2)
                ax.axvline(edge + 0.5, color="#000000", linewidth=0.2)
    return figure


def _correlation(similarity: Points, cosines: Points) -> float:
    upper = np.triu_indices(len(similarity), 1)
    both = similarity[upper], cosines[upper]
    return float(np.corrcoef(*both)[0, 1]) if all(np.ptp(one) > 1e-9 for one in both) else 0.0
