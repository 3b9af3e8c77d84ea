"""Class similarity beside prototype similarity, both in the order of superclasses."""

from pathlib import Path
from typing import Any

import numpy as np

from protosphere.assignment.levels import checked_tree
from protosphere.assignment.similarity import as_similarity
from protosphere.assignment.taxonomy import Taxonomy
from protosphere.plots.figure_files import figure_path, save_figure
from protosphere.plots.style import COLUMN_INCHES, new_panels
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.statistics.regression import correlation
from protosphere.types import Indices, Points

MOST_NAMES = 40
"""Superclasses that are named beside the matrix; more would not be readable."""

LETTER_INCHES = 0.042
"""About the width of a letter of their names."""


def draw_similarity(
    similarity: Any,
    code: SphericalCode,
    path: str | Path,
    *,
    tree: Taxonomy | None = None,
) -> Path:
    """Draw both matrices as the .png, .pdf or .svg that `path` ends in.

    With a `tree` classes of one superclass are side by side, and superclasses by how similar they are; without,
    classes are ordered by the direction in which they differ most.
    """
    figure_path(path)
    S = as_similarity(similarity, code.num_classes)
    groups = np.arange(len(S)) if tree is None else checked_tree(tree, len(S)).groups()
    order = drawing_order(S, groups)
    names = [] if tree is None else _superclasses(tree, order)
    return save_figure(
        similarity_figure(S, code.points @ code.points.T, order, groups, names), path
    )


def drawing_order(similarity: Points, groups: Indices) -> Indices:
    """The classes group by group, the groups along the direction in which they differ most."""
    mean = np.eye(groups.max() + 1)[groups] / np.bincount(groups)[groups, None]
    between = mean.T @ similarity @ mean
    centring = np.eye(len(between)) - 1 / len(between)
    place = np.argsort(
        np.argsort(
            np.linalg.eigh(centring @ between @ centring)[1][:, -1], kind="stable"
        )
    )
    return np.argsort(place[groups], kind="stable")


def _superclasses(tree: Taxonomy, order: Indices) -> list[str]:
    """The names of the superclasses as they come, none where they are too many."""
    parents = (tree.parents[tree.classes[i]] for i in map(int, order))
    shown = [name.replace("_", " ") for name in dict.fromkeys(parents)]
    return shown if len(shown) <= MOST_NAMES else []


def similarity_figure(
    similarity: Points,
    cosines: Points,
    order: Indices,
    groups: Indices,
    names: list[str],
) -> Any:
    """The matplotlib figure; `names` are those of the groups in the order they are drawn."""
    edges = np.flatnonzero(np.diff(groups[order])).astype(np.float64) + 0.5
    edges = edges[
        : 0 if len(edges) == len(order) - 1 else None
    ]  # lines around each class would hide it
    room = LETTER_INCHES * max(map(len, names), default=0)
    with new_panels(
        0.6 * COLUMN_INCHES, COLUMN_INCHES + room, ncols=2, sharey=True
    ) as (figure, panels):
        upper = np.triu_indices(len(similarity), 1)
        agreement = correlation(similarity[upper], cosines[upper])
        titles = (
            "similarity of classes",
            f"cosine of prototypes (correlation {agreement:.2f})",
        )
        for ax, matrix, title in zip(
            panels, (similarity, cosines), titles, strict=True
        ):
            _draw_matrix(figure, ax, matrix[np.ix_(order, order)], edges)
            ax.set_title(title)
        if names:
            ends = np.concatenate([[-0.5], edges, [len(order) - 0.5]])
            panels[0].set_yticks((ends[:-1] + ends[1:]) / 2, names, fontsize=5)
    return figure


def _draw_matrix(figure: Any, ax: Any, matrix: Points, edges: Points) -> None:
    """One matrix without its diagonal, lines between groups, and its colours below it."""
    shown = np.array(matrix)
    np.fill_diagonal(shown, np.nan)
    largest = float(np.nanmax(np.abs(shown))) or 1.0
    limit = max(float(np.nanquantile(np.abs(shown), 0.99)), largest / 2)
    image = ax.imshow(
        shown, cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest"
    )
    beyond = bool(np.nanmin(shown) < -limit), bool(np.nanmax(shown) > limit)
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        beyond, "neither"
    )
    bar = figure.colorbar(
        image,
        ax=ax,
        orientation="horizontal",
        shrink=0.7,
        aspect=30,
        pad=0.03,
        extend=extend,
    )
    bar.outline.set_visible(False)
    ax.set(xticks=[], yticks=[])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for edge in edges:
        ax.axhline(edge, color="#000000", linewidth=0.2)
        ax.axvline(edge, color="#000000", linewidth=0.2)
