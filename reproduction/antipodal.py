"""Which classes got prototypes that point in opposite directions: the paper's leopard and lion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import protosphere as ps
from protosphere.code.evenness import OPPOSED
from protosphere.types import Points


@dataclass(frozen=True)
class OpposedPair:
    """Two classes at cosine -1, by number and by name, and how similar they are where that is known."""

    first: int
    second: int
    names: tuple[str, str]
    similarity: float | None = None


def mean_similarity(pairs: Sequence[OpposedPair]) -> float:
    """How similar opposed classes are, on average; 0 where there are none."""
    return float(np.mean([pair.similarity or 0.0 for pair in pairs])) if pairs else 0.0


def opposed_pairs(
    code: ps.SphericalCode, class_names: tuple[str, ...], similarity: Points | None = None
) -> list[OpposedPair]:
    """Every pair of classes whose prototypes are diametrically opposed; with a similarity the most similar first.

    >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
    >>> [pair.names for pair in opposed_pairs(code, ("a", "b", "c", "d"))]
    [('a', 'b'), ('c', 'd')]
    """
    points = code.points
    firsts, seconds = np.nonzero(np.triu(points @ points.T <= OPPOSED, 1))
    alike = [None] * len(firsts) if similarity is None else similarity[firsts, seconds].tolist()
    found = [
        OpposedPair(i, j, (class_names[i], class_names[j]), how)
        for i, j, how in zip(firsts.tolist(), seconds.tolist(), alike, strict=True)
    ]
    return sorted(found, key=lambda pair: -(pair.similarity or 0.0))
