"""What a tree's levels mean for a code: the cosines of pairs by where they meet."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from protosphere.assignment.taxonomy import Taxonomy, taxonomy
from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError
from protosphere.types import Indices


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
    points = code.points
    upper = np.triu_indices(len(points), 1)
    cosines, met = np.clip((points @ points.T)[upper], -1, 1), heights[upper]
    levels = [(int(height), cosines[met == height]) for height in np.unique(met)]
    return tuple(LevelCosines(h, len(found), float(found.min()), float(found.max())) for h, found in levels)


def checked_tree(tree: Any, num_classes: int) -> Taxonomy:
    """The tree, which must have just so many classes."""
    found = taxonomy(tree)
    if len(found.classes) != num_classes:
        raise InvalidArgumentError(f"'tree' must have {num_classes} classes, got {len(found.classes)}")
    return found


def heights_of(tree: Any, num_classes: int) -> Indices:
    """The heights of lowest common ancestors in a tree of just so many classes."""
    return checked_tree(tree, num_classes).heights
