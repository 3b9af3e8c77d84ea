"""Kissing configurations of 17 and 18 dimensions, in layers over the Barnes-Wall lattice with odd signs.

All vectors have squared norm 32 before they are normalized. Their first 16 coordinates belong to the points of GF(2)^4.
R^17 has one additional coordinate, and R^18 has two. A layer consists of all vectors with the same additional
coordinates. The additional coordinates are a vector too: its norm is called the length of the layer, and its direction
is called the direction of the layer.

A quadratic form is a sum of monomials x_i x_j with i < j. It is written as an integer from 0 to 63: bit b of the
integer is the coefficient of the monomial x_i x_j, where (i, j) is `PRODUCTS[b]`. Two forms with coefficients a_ij and
b_ij are called orthogonal if this sum is even:

    a_01 b_23 + a_23 b_01 + a_02 b_13 + a_13 b_02 + a_03 b_12 + a_12 b_03

A quadratic function is the sum of a quadratic form and an affine function. If the form has full rank, both the form and
the function are called bent. A bent function is 1 at six or ten of the 16 points.

The layers are:

- length 0: all vectors with entries +-4 at two points, and vectors with entries +-2 at the eight points of an affine
  hyperplane. An odd number of the eight entries is negative. In the Barnes-Wall lattice, this number is even, and there
  are as many vectors.
- length sqrt 8: each direction has a bent form, and 16 of the bent functions with this form are 1 at only six points.
  The vectors have entries +-2 at the six points of one of these functions. An odd number of the six entries is
  negative.
- length sqrt(32/9): each direction has several quadratic forms. The vectors are 4/3 (+-1, ..., +-1). The entries are
  negative where a quadratic function with one of these forms is 1.
- length sqrt 32: each direction of a layer of length sqrt 8 has one vector, whose first 16 coordinates are 0.

The odd signs make room for the layers of length sqrt(32/9). Their vectors are at angles of at least 60 degrees from all
other vectors for these reasons:

- A quadratic function is 1 at an even number of the points of each hyperplane. The vectors of length 0 on this
  hyperplane have an odd number of negative entries. So the signs of the two vectors differ in at least one of the eight
  points.
- Likewise, a quadratic function is 1 at an even number of the six points of a bent function if the forms of the two
  functions are orthogonal. So the signs differ in at least one of the six points.
- The sum of two different quadratic functions of the same direction is a bent function or an affine function. So their
  signs differ in at least six points.
- For two directions 60 degrees apart, it is enough that the signs differ in four points. Any two quadratic functions
  differ in at least four points.

In R^17 there are two directions, 1 and -1. They have the same bent form, and each of them has six quadratic forms,
which are orthogonal to the bent form. These are the 5,730 points of Cohn & Li (2024).

In R^18 the directions of the layers of length sqrt 8 are the six corners of a hexagon. There are three bent forms, none
of which is the sum of the two others. Each is used at two opposite corners. The directions of the layers of length
sqrt(32/9) are halfway between neighboring corners. Each of them has five quadratic forms, which are orthogonal to the
bent forms of the two neighboring corners. These are the 8,358 points of Kravatskiy (2026); Cohn & Li have 7,654.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from protosphere.constructions.lattices.signed_vectors import (
    at_ones,
    signed_pairs,
    signs_of,
    signs_of_parity,
)
from protosphere.types import Indices, Points

NORM = 32
PRODUCTS = tuple(combinations(range(4), 2))
"""Index pairs (i, j) of the monomials x_i x_j: bit b of a form is the coefficient of monomial b."""

BENT = 12
ABOVE = (18, 31, 35, 45, 49, 62)
BELOW = (19, 30, 34, 44, 48, 63)
"""Forms for R^17: a bent form, and six forms that are orthogonal to it for each of the two directions.

Any two of the six forms differ by a bent form.
"""

BENTS = (12, 22, 27)
"""Bent forms for R^18: form i is used at the corners i and i + 3 of the hexagon."""
BETWEEN = (
    (0, 33, 46, 50, 60),
    (14, 37, 43, 55, 56),
    (18, 35, 45, 49, 62),
    (1, 32, 47, 51, 61),
    (15, 36, 42, 54, 57),
    (19, 34, 44, 48, 63),
)
"""Five forms for each of the six directions of R^18 between the corners of the hexagon."""


def layers_over_barnes_wall(dim: int) -> Points:
    """Return the kissing configuration of 5,730 points in 17 dimensions, or of 8,358 points in 18 dimensions.

    Args:
        dim: Dimension, 17 or 18.

    Returns:
        Unit vectors, as rows.
    """
    if dim == 17:
        line = np.array([[1.0], [-1.0]])
        return _layered(line, (BENT, BENT), line, (ABOVE, BELOW))
    half = 0.5
    side = np.sqrt(0.75)
    corners = np.array(
        [[1, 0], [half, side], [-half, side], [-1, 0], [-half, -side], [half, -side]]
    )
    middles = np.array(
        [[side, half], [0, 1], [-side, half], [-side, -half], [0, -1], [side, -half]]
    )
    return _layered(corners, (*BENTS, *BENTS), middles, BETWEEN)


def _layered(
    ends: Points,
    bents: Sequence[int],
    between: Points,
    forms: Sequence[Sequence[int]],
) -> Points:
    # Each row of `ends` is the direction of a layer of length sqrt 8, with the form in `bents`, and of a layer of
    # length sqrt 32. Each row of `between` is the direction of a layer of length sqrt(32/9), with the quadratic forms
    # in `forms`.
    flat = np.zeros(ends.shape[1])
    pairs = 4 * signed_pairs(16)
    hyperplanes = _signed_sets(_values_of_affine_functions(), 8)
    parts = [_append_to_rows(pairs, flat), _append_to_rows(hyperplanes, flat)]
    for height, bent in zip(ends, bents, strict=True):
        sets = _signed_sets(_values_of_affine_functions() ^ _values_of_form(bent), 6)
        parts.append(_append_to_rows(sets, np.sqrt(8) * height))
    for height, chosen in zip(between, forms, strict=True):
        words = np.concatenate(
            [_values_of_affine_functions() ^ _values_of_form(form) for form in chosen]
        )
        vectors = 4 / 3 * signs_of(words)
        parts.append(_append_to_rows(vectors, np.sqrt(NORM / 9) * height))
    for height in ends:
        pole = np.zeros((1, 16))
        parts.append(_append_to_rows(pole, np.sqrt(NORM) * height))
    return np.concatenate(parts) / np.sqrt(NORM)


def _signed_sets(words: Indices, weight: int) -> Points:
    # the ones of a row give the places of the entries +-2, an odd number of which are negative
    chosen = words[words.sum(axis=1) == weight]
    odd_signs = signs_of_parity(weight, 1)
    return 2 * at_ones(chosen, odd_signs)


def _append_to_rows(vectors: Points, coordinates: Points) -> Points:
    repeated = np.tile(coordinates, (len(vectors), 1))
    return np.hstack([vectors, repeated])


def _values_of_form(form: int) -> Indices:
    points = np.arange(16)
    found = np.zeros(16, dtype=np.int64)
    for b, (i, j) in enumerate(PRODUCTS):
        found ^= (form >> b) * (points >> i) * (points >> j) & 1
    return found


def _values_of_affine_functions() -> Indices:
    points = np.arange(16)
    linear = np.bitwise_count(points[:, None] & points).astype(np.int64) & 1
    return np.concatenate([linear, 1 - linear])
