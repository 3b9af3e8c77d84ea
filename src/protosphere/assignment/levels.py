"""Range of the cosines of a code at each level of a tree over the classes.

The level of a pair of classes is the height of their lowest common ancestor. The height of a node is the length of the
longest path from the node down to a class.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from protosphere.assignment.taxonomy import Taxonomy, taxonomy
from protosphere.assignment.tree_layout import Heights
from protosphere.errors import InvalidArgumentError
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Points

BLOCK_ROWS = 256
"""Number of points whose cosines with later points are computed together."""


@dataclass(frozen=True)
class LevelCosines:
    """Number of pairs of classes whose lowest common ancestor has a given height, and the range of their cosines.

    Attributes:
        height: The height of the lowest common ancestor. The height of a node is the length of the longest path from
            the node down to a class.
        pairs: Number of pairs of classes.
        lowest: Minimum cosine of the prototypes of these pairs.
        highest: Maximum cosine of the prototypes of these pairs.

    Example:
        >>> LevelCosines(height=1, pairs=2, lowest=-1.0, highest=-1.0).pairs
        2
    """

    height: int
    pairs: int
    lowest: float
    highest: float


def level_cosines(code: SphericalCode, tree: Any) -> tuple[LevelCosines, ...]:
    """Return the range of the cosines of a code at each level of a tree over the classes.

    Args:
        code: A code of K classes.
        tree: A tree of the same classes, such as a mapping from each node to its parent, the path of a text file with a
            child and its parent on each line, or the name of a shipped tree. Class i is the leaf with index i, in the
            order in which the leaves occur in the mapping or file.

    Returns:
        One entry for each level, in ascending order of the height of the lowest common ancestor.

    Raises:
        InvalidArgumentError: If the tree does not have K classes.

    Example:
        >>> import protosphere as ps
        >>> code = ps.construct("orthogonal_simplices", num_classes=4, dim=2)
        >>> for level in level_cosines(code, {"a": "x", "b": "x", "c": "y", "d": "y"}):
        ...     print(level)
        LevelCosines(height=1, pairs=2, lowest=-1.0, highest=-1.0)
        LevelCosines(height=2, pairs=4, lowest=0.0, highest=0.0)
    """
    heights = heights_of(tree, code.num_classes)
    return cosine_ranges(code.points, heights)


def cosine_ranges(points: Points, heights: Heights) -> tuple[LevelCosines, ...]:
    """Return, for each height, the number of pairs of classes and the range of their cosines.

    The height of a pair is that of the lowest common ancestor of the two classes in a tree.

    Args:
        points: K x n matrix of unit vectors. Row i is the prototype of class i.
        heights: K x K matrix. Entry (i, j) is the height of the lowest common ancestor of classes i and j: the length
            of the longest path from this ancestor down to a class.

    Returns:
        One entry for each height that occurs, in ascending order.
    """
    num_levels = int(heights.max()) + 1
    pairs = np.zeros(num_levels, dtype=np.int64)
    lowest = np.full(num_levels, 1.0)
    highest = np.full(num_levels, -1.0)
    for start in range(0, len(points), BLOCK_ROWS):
        stop = start + BLOCK_ROWS
        block = points[start:stop]
        above_diagonal = np.triu_indices(len(block), 1, len(points) - start)
        gram = block @ points[start:].T
        cosines = np.clip(gram[above_diagonal], -1, 1)
        block_heights = heights[start:stop, start:][above_diagonal]
        pairs += np.bincount(block_heights, minlength=num_levels)
        np.minimum.at(lowest, block_heights, cosines)
        np.maximum.at(highest, block_heights, cosines)
    return tuple(
        LevelCosines(int(h), int(pairs[h]), float(lowest[h]), float(highest[h]))
        for h in np.flatnonzero(pairs)
    )


def checked_tree(tree: Any, num_classes: int) -> Taxonomy:
    """Return a tree over the classes, after checking that it has `num_classes` classes.

    Args:
        tree: A tree, such as a mapping from each node to its parent, the path of a text file with a child and its
            parent on each line, or the name of a shipped tree.
        num_classes: Required number K of classes.

    Raises:
        InvalidArgumentError: If the tree has another number of classes.
    """
    found = taxonomy(tree)
    if len(found.classes) != num_classes:
        raise InvalidArgumentError(
            f"'tree' must have {num_classes} classes, got {len(found.classes)}"
        )
    return found


def heights_of(tree: Any, num_classes: int) -> Heights:
    """Return the K x K matrix of the heights of the lowest common ancestors of all pairs of classes in a tree.

    The height of a node is the length of the longest path from the node down to a class.

    Args:
        tree: A tree, such as a mapping from each node to its parent, the path of a text file with a child and its
            parent on each line, or the name of a shipped tree. Class i is the leaf with index i, in the order in which
            the leaves occur in the mapping or file.
        num_classes: Required number K of classes.

    Raises:
        InvalidArgumentError: If the tree has another number of classes.
    """
    return checked_tree(tree, num_classes).heights
