"""Codes for classes of a tree, in which closer classes may have larger cosines.

The classes are the leaves of the tree. Two classes are closer if their lowest common ancestor has a smaller height. The
height of a node is the length of the longest path from the node down to a class. The dimension may be smaller than the
number of classes.
"""

import numpy as np

from protosphere.assignment.levels import checked_tree, cosine_ranges, heights_of
from protosphere.assignment.similarity import as_similarity
from protosphere.assignment.tree_layout import Heights
from protosphere.bounds import converse
from protosphere.constructions.descents.semantic import (
    descent_infeasible_reason,
    weight_for,
)
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.geometry.sphere import normalized, padded
from protosphere.search.margin_descent import margin_descent
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Points, Progress, ignore

JITTER = 1e-2
"""Standard deviation of the noise added to the initial points, in which siblings may coincide."""

LEAST_TEMPERATURE = 100
"""Smallest default of the last inverse temperature; smaller values would not keep the levels of the tree apart."""


def level_margins(heights: Heights) -> Points:
    """Return a K x K matrix of margins, which are larger for classes that are closer in a tree.

    Let h be the height of the lowest common ancestor of two classes, and m the largest of these heights. The margin of
    the two classes is (m - h) / (m - 1), or 0 if m is 1. The diagonal is 1.

    Args:
        heights: K x K heights of lowest common ancestors. The height of a node is the length of the longest path from
            the node down to a class.

    >>> level_margins(np.array([[0, 1, 3], [1, 0, 3], [3, 3, 0]])).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    most = int(heights.max())
    return np.minimum((most - heights) / max(1, most - 1), 1.0)


def principal_points(gram: Points, dim: int) -> Points:
    """Return K points in R^n, as rows, whose Gram matrix approximates a given matrix.

    The points are computed from the n largest eigenvalues of the given matrix and their eigenvectors.

    Args:
        gram: K x K positive semidefinite matrix.
        dim: Dimension n.
    """
    from scipy.linalg import eigh

    K = len(gram)
    values, vectors = eigh(gram, subset_by_index=(max(0, K - dim), K - 1))
    return padded(vectors * np.sqrt(np.maximum(values, 0)), dim)


def _infeasible_reason(
    num_classes: int,
    dim: int,
    *,
    tree: str,
    spread: object,
    similarity: str,
    **descent: object,
) -> str | None:
    if tree == "":
        return "'hierarchical' needs 'tree', class -> parent, got none; ps.taxonomy makes one"
    checked_tree(tree, num_classes)
    if similarity:
        as_similarity(similarity, num_classes)
    if not (isinstance(spread, (int, float)) and 0 <= spread <= 1):
        raise InvalidArgumentError(f"'spread' must be from 0 to 1, got {brief(spread)}")
    return descent_infeasible_reason("hierarchical", num_classes, dim, **descent)


@construction(
    infeasible_reason=_infeasible_reason,
    summary="for a tree of classes, a descent in which closer classes may have larger cosines",
    reference="ours; for the log-sum-exp Lindstrom et al. (2024)",
    traits=Traits(stochastic=True, searched=True, on_page=False),
)
def hierarchical(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    tree: str = "",
    spread: float = 0.3,
    similarity: str = "",
    weight: float | str = "auto",
    steps: int = 1000,
    lr: float = 0.2,
    temperature: float | None = None,
) -> Placement:
    """Place points by a descent in which classes that are closer in a tree may have larger cosines.

    The objective is (1/t) log sum over pairs of exp(t (cosine - margin)), where the inverse temperature t rises from 1
    during the descent. The margin of two classes is s (m - h) / (m - 1), where h is the height of their lowest common
    ancestor in the tree, and m is the height of the root. If m is 1, all margins are 0. The height of a node is the
    length of the longest path from the node down to a class. The factor s is `spread` * (1 - c) or, if c is negative,
    `spread`. Here c is the converse, which is the lower bound on the maximum cosine of any K points in R^n.

    If `similarity` is not empty, (1 - spread) * weight * similarity is added to the margins. The description of the
    code states the maximum cosine of each level of the tree.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        rng: Random generator of the noise added to the initial points, which are computed from the margins.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.
        tree: Tree of the K classes, as text with a line 'child<tab>parent' for each node that has a parent.
            `ps.construct` also accepts a mapping from child to parent or a `Taxonomy`. The tree must be given; the
            empty text is refused.
        spread: Number from 0 to 1 to which the margins from the tree are proportional.
        similarity: Symmetric K x K matrix of similarities of classes, as text that `similarity_text` wrote.
            `ps.construct` also accepts a matrix. The empty text means that no similarity is added.
        weight: Factor of the similarity, from 0 to 1, or 'auto'. If the similarities are the cosines of some points in
            R^n, 'auto' stands for 1. Otherwise it stands for 0.12 divided by the standard deviation of the
            similarities, or for 1 if this quotient is above 1.
        steps: Number of steps of the descent.
        lr: Learning rate of the descent.
        temperature: Last value of the inverse temperature t. If it is None, the last value is the larger of K and 100.
    """
    heights = heights_of(tree, num_classes)
    rise = spread * min(1.0, 1 - float(converse(num_classes, dim)))
    margins = rise * level_margins(heights)
    if similarity:
        S = as_similarity(similarity, num_classes)
        margins = margins + (1 - spread) * weight_for(weight, S, dim) * S
    gram = margins.copy()
    np.fill_diagonal(gram, 1.0)
    start = principal_points(gram, dim)
    start = normalized(start + JITTER * rng.standard_normal(start.shape))
    last = float(
        max(num_classes, LEAST_TEMPERATURE) if temperature is None else temperature
    )
    rate = lr * min(
        1.0, num_classes / last
    )  # the fewer classes and the higher the temperature, the stiffer it is
    points = margin_descent(start, margins, (1.0, last), steps, rate, progress)
    ranges = cosine_ranges(points, heights)
    levels = ", ".join(f"{level.highest:.3f}" for level in reversed(ranges))
    return dense_placement(
        f"cosines from the root down to siblings up to {levels}", points
    )
