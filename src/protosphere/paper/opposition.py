"""Which classes got prototypes that point in opposite directions: the paper's leopard and lion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import protosphere as ps
from protosphere.types import Points

OPPOSED = -1 + 1e-9


@dataclass(frozen=True)
class OpposedPair:
    """Two classes at cosine -1, by number and by name."""

    first: int
    second: int
    names: tuple[str, str]


def mean_similarity(similarity: Points, pairs: Sequence[OpposedPair]) -> float:
    """How similar opposed classes are, on average; 0 where there are none."""
    return float(np.mean([similarity[pair.first, pair.second] for pair in pairs])) if pairs else 0.0


def opposed_pairs(code: ps.SphericalCode, class_names: tuple[str, ...]) -> list[OpposedPair]:
    """Every pair of classes whose prototypes are diametrically opposed.

    >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
    >>> [pair.names for pair in opposed_pairs(code, ("a", "b", "c", "d"))]
    [('a', 'b'), ('c', 'd')]
    """
    points = code.points
    firsts, seconds = np.nonzero(np.triu(points @ points.T <= OPPOSED, 1))
    pairs = zip(firsts.tolist(), seconds.tolist(), strict=True)
    return [OpposedPair(i, j, (class_names[i], class_names[j])) for i, j in pairs]
