"""Find classes with antipodal prototypes, such as leopard and lion in Lindström et al. (2024)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import protosphere as ps
from protosphere.spherical.statistics import ANTIPODAL
from protosphere.types import Points


@dataclass(frozen=True)
class AntipodalPair:
    """Two classes whose prototypes have the cosine -1.

    Attributes:
        first: Index of one class.
        second: Index of the other class.
        names: Names of the two classes.
        similarity: Similarity of the two classes; None if it is not known.
    """

    first: int
    second: int
    names: tuple[str, str]
    similarity: float | None = None


def mean_similarity(pairs: Sequence[AntipodalPair]) -> float:
    """Return the mean similarity of the two classes of each pair; 0 if there are no pairs."""
    if not pairs:
        return 0.0
    return float(np.mean([pair.similarity or 0.0 for pair in pairs]))


def antipodal_pairs(
    code: ps.SphericalCode,
    class_names: tuple[str, ...],
    similarity: Points | None = None,
) -> list[AntipodalPair]:
    """Return every pair of classes whose prototypes are antipodal.

    If a similarity is given, the pairs are sorted by similarity, with the most similar pair first.

    Args:
        code: The prototypes.
        class_names: Name of each class.
        similarity: K x K similarity of the classes, or None.

    >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
    >>> [pair.names for pair in antipodal_pairs(code, ("a", "b", "c", "d"))]
    [('a', 'b'), ('c', 'd')]
    """
    antipodal = code.points @ code.points.T <= ANTIPODAL
    found: list[AntipodalPair] = []
    for i, j in np.argwhere(np.triu(antipodal, 1)).tolist():
        names = (class_names[i], class_names[j])
        known = None if similarity is None else float(similarity[i, j])
        found.append(AntipodalPair(i, j, names, known))
    return sorted(found, key=lambda pair: -(pair.similarity or 0.0))
