"""Hierarchy-aware frames of Liang and Davis (2023): the cosine of two classes depends on their distance in a tree.

The distance of two classes is the height of their lowest common ancestor, which is the length of the longest path from
this node down to a class. The frames need K - 1 dimensions.
"""

import numpy as np

from protosphere.assignment.levels import checked_tree, heights_of
from protosphere.assignment.taxonomy import MOST_CLASSES_IN_PAIRS
from protosphere.constructions.limits import (
    class_infeasible_reason,
    dim_infeasible_reason,
)
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import as_positive
from protosphere.geometry.sphere import normalized, padded
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Points


def frame_gram(heights: Points, gamma: float) -> Points:
    """Return the Gram matrix (1 - s) E + s J, where s is the lowest number for which it is positive semidefinite.

    All entries of J are 1. The entries of E are exp(-gamma d / d_max), where d is the distance of two classes in the
    tree and d_max is the largest distance. For very large gamma, E is nearly the identity matrix and s is nearly -1 /
    (K - 1), so that the points are nearly a simplex.

    Args:
        heights: K x K distances of the classes in the tree. The distance of two classes is the height of their lowest
            common ancestor: the length of the longest path from this node down to a class.
        gamma: Rate at which the cosines decrease with the distance.
    """
    decay = np.exp(-gamma * heights / heights.max())
    values, vectors = np.linalg.eigh(decay)  # of ultrametric distances: all above 0
    total = float(np.sum(vectors.sum(axis=0) ** 2 / values))
    # `total` is the sum of all entries of the inverse of E
    lowest = -1 / (total - 1)
    return (1 - lowest) * decay + lowest


def _infeasible_reason(
    num_classes: int, dim: int, *, tree: str, gamma: object
) -> str | None:
    if tree == "":
        return "'hierarchy_frame' needs 'tree', class -> parent, got none; ps.taxonomy makes one"
    as_positive("gamma", gamma)
    checked_tree(tree, num_classes)
    why_not = dim_infeasible_reason(
        "hierarchy_frame", "dim >= num_classes - 1", lambda K: K - 1, num_classes, dim
    )
    if why_not:
        return f"{why_not}; 'hierarchical' needs less"
    return class_infeasible_reason(
        num_classes, MOST_CLASSES_IN_PAIRS, "a matrix over all pairs"
    )


def _guarantee(num_classes: int, dim: int, *, tree: str, gamma: float) -> float:
    del dim
    gram = frame_gram(heights_of(tree, num_classes).astype(np.float64), gamma)
    return float(gram[np.triu_indices(num_classes, 1)].max())


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=_guarantee,
    summary="for a tree of classes, a frame whose cosines decrease with the distance in the tree, n >= K - 1",
    reference="Liang & Davis (2023), Inducing neural collapse to a fixed hierarchy-aware frame",
    # eigenvectors are rounded differently by different machines
    traits=Traits(searched=True, on_page=False),
)
def hierarchy_frame(
    num_classes: int, dim: int, *, tree: str = "", gamma: float = 3.0
) -> Placement:
    """Place points so that the cosine of two classes depends only on their distance in a tree, and decreases with it.

    The distance of two classes is the height of their lowest common ancestor: the length of the longest path from this
    node down to a class. At distance d, the cosine is (1 - s) exp(-gamma d / d_max) + s, up to rounding errors. Here
    d_max is the largest distance, and s is the lowest number for which such points exist. The first K - 1 coordinates
    are computed from the eigenvectors of the matrix of all cosines. The other coordinates are zeros.

    Args:
        num_classes: Number K of points.
        dim: Dimension n, at least K - 1.
        tree: Text that describes the tree of the K classes. `construct` makes it from a tree in any form that
            `taxonomy` accepts, such as a mapping from each name to the name of its parent. The empty text stands for a
            missing tree, for which there is no code.
        gamma: Rate at which the cosines decrease with the distance in the tree, above 0.
    """
    gram = frame_gram(heights_of(tree, num_classes).astype(np.float64), gamma)
    values, vectors = np.linalg.eigh(gram)
    points = normalized((vectors * np.sqrt(np.maximum(values, 0)))[:, 1:])
    return dense_placement(
        f"hierarchy-aware frame, gamma {gamma:g}", padded(points, dim)
    )
