"""The family `lifted_cross_polytopes`: codes that consist of two cross-polytopes in parallel layers.

The height of a point is its last coordinate. A layer consists of the points of the same height.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import sqrt

import numpy as np

from protosphere.bounds.welch import root
from protosphere.coding.hadamard import hadamard, hadamard_orders
from protosphere.constructions.families import (
    LARGEST_FAMILY_DIM,
    Member,
    dense_member,
    family,
)
from protosphere.geometry.sphere import cross_polytope_points, normalized
from protosphere.types import Points


@family(
    summary="two cross-polytopes in parallel layers, K = 4(n-1), n-1 a Hadamard order; max cosine 1/(2 sqrt(n-1) + 1)",
    reference="Schutte & van der Waerden (1951) for (3, 8); Paley (1933) for the pairs of bases",
)
def lifted_cross_polytopes() -> Iterator[Member]:
    """Yield codes of 4(n-1) points in R^n: a cross-polytope of R^(n-1) at height h and a rotated one at height -h.

    There is a code for each n up to 4,096 such that this package has a Hadamard matrix of order n - 1. The points at
    height h are (sqrt(1-h^2) u, h), where u is a basis vector or its negative. The points at height -h are (sqrt(1-h^2)
    v, -h), where v is +-1/sqrt(n-1) times a row of a Hadamard matrix of order n - 1. Since u and v have inner product
    +-1/sqrt(n-1), the choice h^2 = 1/(2 sqrt(n-1) + 1) gives the maximum cosine h^2 both within each layer and between
    the layers. The cases (n, K) = (3, 8), the square antiprism, and (5, 16), the half 5-cube, are optimal.
    """
    for order in hadamard_orders(LARGEST_FAMILY_DIM - 1):
        cosine = 1 / (2 * root(order) + 1)
        step = 2 * cosine if isinstance(cosine, Fraction) else None
        yield dense_member(
            dim=order + 1,
            size=4 * order,
            max_cosine=cosine,
            id=f"cross-polytopes-{order}",
            description=f"two cross-polytopes of R^{order}, lifted",
            points=partial(_points, order, sqrt(cosine)),
            step=step,
        )


def _points(order: int, height: float, count: int) -> Points:
    # in both layers, each point is followed by its antipode within the layer
    upper = cross_polytope_points(min(count, 2 * order), order)
    lower = np.kron(hadamard(order), [[1], [-1]])[: count - len(upper)] / sqrt(order)
    heights = np.repeat([height, -height], [len(upper), len(lower)])
    return normalized(
        np.column_stack([sqrt(1 - height**2) * np.vstack([upper, lower]), heights])
    )
