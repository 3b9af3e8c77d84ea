"""Which K points of a larger code to keep: those that lose its closest pairs."""

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Points

SAME = 1e-9
"""Cosines this close count as one level."""


def thinned(points: Points, num_classes: int) -> NDArray[np.int64]:
    """Numbers of `num_classes` points, the others removed one at a time: always one that is in most closest pairs."""
    gram = points @ points.T
    np.fill_diagonal(gram, -2)
    alive = np.ones(len(points), dtype=np.bool_)
    closest = _closest_pairs(gram)
    degree = closest.sum(axis=1)
    for _ in range(len(points) - num_classes):
        if not degree.any():
            closest = _closest_pairs(np.where(alive[:, None] & alive, gram, -2))
            degree = closest.sum(axis=1)
        worst = int(np.argmax(degree))
        alive[worst] = False
        degree -= closest[worst]
        closest[:, worst] = False
        degree[worst] = 0
    return np.flatnonzero(alive)


def _closest_pairs(gram: Points) -> NDArray[np.bool_]:
    return gram >= gram.max() - SAME
