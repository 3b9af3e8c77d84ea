"""What a tree's levels mean for a code: the cosines of pairs by where they meet."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from protosphere.assignment.taxonomy import Taxonomy, taxonomy
from protosphere.assignment.tree_layout import Heights
from protosphere.errors import InvalidArgumentError
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Points

BLOCK = 256
"""Rows of points whose cosines are looked at together."""


@dataclass(frozen=True)
class LevelCosines:
    """The pairs of classes whose lowest common ancestor has this height: how many, and the range of their cosines."""

    height: int
    pairs: int
    lowest: float
    highest: float


def level_cosines(code: SphericalCode, tree: Any) -> tuple[LevelCosines, ...]:
    """The certificate of a code level by level, measured over all pairs, from siblings up to the root.

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
    """The pairs and the range of cosines of each height, a block of rows at a time."""
    levels = int(heights.max()) + 1
    pairs = np.zeros(levels, dtype=np.int64)
    lowest = np.full(levels, 1.0)
    highest = np.full(levels, -1.0)
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        above_diagonal = np.triu_indices(len(block), 1, len(points) - start)
        cosines = np.clip((block @ points[start:].T)[above_diagonal], -1, 1)
        met = heights[start : start + BLOCK, start:][above_diagonal]
        pairs += np.bincount(met, minlength=levels)
        np.minimum.at(lowest, met, cosines)
        np.maximum.at(highest, met, cosines)
    found = np.flatnonzero(pairs)
    return tuple(
        LevelCosines(int(h), int(pairs[h]), float(lowest[h]), float(highest[h]))
        for h in found
    )


def checked_tree(tree: Any, num_classes: int) -> Taxonomy:
    """The tree, which must have just so many classes."""
    found = taxonomy(tree)
    if len(found.classes) != num_classes:
        raise InvalidArgumentError(
            f"'tree' must have {num_classes} classes, got {len(found.classes)}"
        )
    return found


def heights_of(tree: Any, num_classes: int) -> Heights:
    """The heights of lowest common ancestors in a tree of just so many classes."""
    return checked_tree(tree, num_classes).heights
