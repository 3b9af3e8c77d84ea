"""Zinoviev and Ericson's kissing configuration of 13 dimensions: 1,154 points in five layers.

All points of a layer have the same last coordinate: 0, 1/2, -1/2, 1 or -1. This number is the name of the layer.

- Layer 0 has the vectors of R^12 with entries +-1/2 at four coordinates, and zeros elsewhere. The four coordinates are
  one of 51 quadruples, with all 16 patterns of signs. Any two of the quadruples share at most two coordinates.
- Layers 1/2 and -1/2 have the axes +-e_i of R^12 and 144 vectors (+-1, ..., +-1), all scaled to norm sqrt(3)/2. Any two
  of the 144 vectors differ in at least four coordinates. A point of layer 1/2 and a point of layer -1/2 are always at
  least 60 degrees apart.
- Layers 1 and -1 have one point each: e_13 and -e_13.

The 144 vectors have the signs of the codewords of Julin's code: -1 at the ones of a codeword, and 1 at its zeros. The
ones of a codeword are one of the 132 hexads of the Steiner system S(5, 6, 12), one of six disjoint pairs of
coordinates, or the complement of one of these pairs.
"""

import numpy as np

from protosphere.constructions.lattices.signed_quadruples import (
    images_of_sets,
    quadruples,
)
from protosphere.constructions.lattices.signed_vectors import (
    all_signs,
    at_places,
    signs_of,
)
from protosphere.types import Indices, Points

INFINITY = 11
SQUARES = (1, 3, 4, 5, 9)
"""Nonzero squares modulo 11.

Together with infinity they are a hexad. Its images under the maps x + 1 and -1/x are the other hexads.
"""


def quadruples_between_layers() -> Points:
    """Return Zinoviev and Ericson's kissing configuration in R^13: 1,154 points, as unit rows."""
    middle = at_places(quadruples(12), all_signs(4) / 2, 13)
    axes = np.sqrt(0.75) * np.concatenate([np.eye(12), -np.eye(12)])
    layer = np.concatenate([axes, 0.25 * signs_of(julin_code())])
    layers = [
        np.column_stack([layer, np.full(len(layer), height)]) for height in (0.5, -0.5)
    ]
    poles = np.zeros((2, 13))
    poles[:, 12] = 1, -1
    return np.concatenate([middle, *layers, poles])


def julin_code() -> Indices:
    """Return Julin's code of 144 codewords of length 12 and distance 4, one codeword of zeros and ones per row.

    >>> words = julin_code()
    >>> distances = (words[:, None] != words).sum(axis=2)
    >>> words.shape, int(distances[distances > 0].min())
    ((144, 12), 4)
    """
    pairs = [{2 * i, 2 * i + 1} for i in range(6)]
    hexads = images_of_sets([(*SQUARES, INFINITY)], [_next, _negative_inverse])
    chosen = [
        *hexads,
        *sorted(map(sorted, pairs + [set(range(12)) - pair for pair in pairs])),
    ]
    return np.array([[int(place in word) for place in range(12)] for word in chosen])


def _next(x: int) -> int:
    return x if x == INFINITY else (x + 1) % 11


def _negative_inverse(x: int) -> int:
    if x in (0, INFINITY):
        return INFINITY - x
    return -pow(x, -1, 11) % 11
