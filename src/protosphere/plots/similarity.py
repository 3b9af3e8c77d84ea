"""A figure of two matrices: the similarities of classes, and the cosines of their prototypes.

The classes are divided into groups. If there is a class tree, a group consists of the classes of one superclass. The
superclass of a class is its parent in the tree. Otherwise every class is a group.
"""

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
"""Largest number of superclasses for which their names are drawn next to the matrix; more would not be readable."""

LETTER_INCHES = 0.042
"""Approximate width in inches of a letter of a superclass's name."""


def draw_similarity(
    similarity: Any,
    code: SphericalCode,
    path: str | Path,
    *,
    tree: Taxonomy | None = None,
) -> Path:
    """Draw the similarities of classes next to the cosines of their prototypes, and write the figure to a file.

    Args:
        similarity: Similarities of the classes: a symmetric K x K matrix whose entry (i, j) is the similarity of
            classes i and j, or a class tree from which this matrix is computed.
        code: Prototypes; point i is the prototype of class i.
        path: File to write; it must end in .png, .pdf or .svg.
        tree: Class tree. The classes are grouped by their superclasses in this tree, and similar superclasses are next
            to each other. Without a tree, similar classes are next to each other.

    Returns:
        The path of the written file.

    Raises:
        InvalidArgumentError: If `path` has another ending, or if `similarity` or `tree` has another number of classes
            than the code.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> import protosphere as ps
        >>> from protosphere.plots import draw_similarity
        >>> tree = ps.taxonomy({"cat": "animal", "dog": "animal", "car": "thing", "bus": "thing"})
        >>> with TemporaryDirectory() as folder:
        ...     draw_similarity(tree, ps.construct("simplex", num_classes=4, dim=3), f"{folder}/both.png").name
        'both.png'
    """
    figure_path(path)
    S = as_similarity(similarity, code.num_classes)
    if tree is None:
        groups = np.arange(len(S))
    else:
        groups = checked_tree(tree, len(S)).groups()
    order = drawing_order(S, groups)
    names = [] if tree is None else _superclass_names(tree, order)
    cosines = code.points @ code.points.T
    return save_figure(similarity_figure(S, cosines, order, groups, names), path)


def drawing_order(similarity: Points, groups: Indices) -> Indices:
    """Return the indices of the classes in the order in which they are drawn.

    They are drawn group by group, and similar groups are next to each other.

    Args:
        similarity: K x K similarities of classes.
        groups: Index of the group of each of the K classes. All classes of a group are drawn next to each other.
    """
    # the groups are sorted by the eigenvector of the largest eigenvalue of their centered mean similarities
    sizes = np.bincount(groups)
    mean = np.eye(groups.max() + 1)[groups] / sizes[groups, None]
    between = mean.T @ similarity @ mean
    centering = np.eye(len(between)) - 1 / len(between)
    _, eigenvectors = np.linalg.eigh(centering @ between @ centering)
    group_order = np.argsort(eigenvectors[:, -1], kind="stable")
    position = np.argsort(group_order)
    return np.argsort(position[groups], kind="stable")


def _superclass_names(tree: Taxonomy, order: Indices) -> list[str]:
    parents = [tree.parents[tree.classes[index]] for index in order.tolist()]
    different = list(dict.fromkeys(parents))
    if len(different) > MOST_NAMES:
        return []
    return [name.replace("_", " ") for name in different]


def similarity_figure(
    similarity: Points,
    cosines: Points,
    order: Indices,
    groups: Indices,
    names: list[str],
) -> Any:
    """Return a matplotlib figure of the matrix of similarities next to the matrix of cosines.

    Args:
        similarity: K x K similarities of classes.
        cosines: K x K cosines of prototypes.
        order: Indices of the classes in the order in which they are drawn.
        groups: Index of the group of each of the K classes. Lines are drawn between groups.
        names: Names of the groups in the order in which they are drawn. If the list is empty, no names are drawn.
    """
    edges = _group_edges(groups[order])
    upper = np.triu_indices(len(similarity), 1)
    agreement = correlation(similarity[upper], cosines[upper])
    longest_name = max(map(len, names), default=0)
    width = COLUMN_INCHES + LETTER_INCHES * longest_name
    layout = new_panels(0.6 * COLUMN_INCHES, width, ncols=2, sharey=True)
    with layout as (figure, panels):
        left, right = panels
        _draw_matrix(figure, left, similarity[np.ix_(order, order)], edges)
        left.set_title("similarity of classes")
        _draw_matrix(figure, right, cosines[np.ix_(order, order)], edges)
        right.set_title(f"cosine of prototypes (correlation {agreement:.2f})")
        if names:
            ends = np.concatenate([[-0.5], edges, [len(order) - 0.5]])
            middles = (ends[:-1] + ends[1:]) / 2
            left.set_yticks(middles, names, fontsize=5)
    return figure


def _group_edges(ordered_groups: Indices) -> Points:
    changes = np.flatnonzero(np.diff(ordered_groups))
    if len(changes) == len(ordered_groups) - 1:  # every class is a group of its own
        return np.empty(0)
    # a line after the first i classes is at i - 0.5
    return changes.astype(np.float64) + 0.5


def _draw_matrix(figure: Any, ax: Any, matrix: Points, edges: Points) -> None:
    shown = np.array(matrix)
    np.fill_diagonal(shown, np.nan)
    limit = _color_limit(shown)
    image = ax.imshow(
        shown, cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest"
    )
    bar = figure.colorbar(
        image,
        ax=ax,
        orientation="horizontal",
        shrink=0.7,
        aspect=30,
        pad=0.03,
        extend=_exceeded_ends(shown, limit),
    )
    bar.outline.set_visible(False)
    ax.set(xticks=[], yticks=[])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for edge in edges:
        ax.axhline(edge, color="#000000", linewidth=0.2)
        ax.axvline(edge, color="#000000", linewidth=0.2)


def _color_limit(values: Points) -> float:
    sizes = np.abs(values)
    largest = float(np.nanmax(sizes)) or 1.0
    usual = float(np.nanquantile(sizes, 0.99))
    # all values with a larger absolute value get the darkest color
    return max(usual, largest / 2)


def _exceeded_ends(values: Points, limit: float) -> str:
    # values of the argument `extend` of matplotlib's color bars
    below = bool(np.nanmin(values) < -limit)
    above = bool(np.nanmax(values) > limit)
    if below and above:
        return "both"
    if below:
        return "min"
    return "max" if above else "neither"
