"""Kissing configurations of 17 and 18 dimensions, in layers over the Barnes-Wall lattice with odd signs.

The first 16 coordinates of a vector belong to the points of GF(2)^4. R^17 has one additional coordinate, and R^18 has
two. A layer consists of all vectors with the same additional coordinates. The additional coordinates are a vector too:
its norm is called the length of the layer, and its direction is called the direction of the layer. All vectors of the
configuration have squared norm 32. The layers are:

- length 0: vectors (+-4, +-4, 0, ...), and vectors with entries +-2 on one of the 30 affine hyperplanes. An odd number
  of these eight entries is negative. In the Barnes-Wall lattice, this number is even, and the number of vectors is
  the same.
- length sqrt 8: in each direction, vectors with entries +-2 at the six points where a bent function is 1. An odd number
  of the six entries is negative. Each direction has 16 bent functions: the sums of one quadratic form and an affine
  function that are 1 at six points.
- length sqrt(32/9): in each direction, vectors 4/3 (+-1, ..., +-1) with the signs of some quadratic functions. These
  functions are said to belong to the direction.
- length sqrt 32: a single vector in each direction of a layer of length sqrt 8. Its first 16 coordinates are 0.

A quadratic form is a sum of monomials x_i x_j with i < j. A quadratic function is the sum of a quadratic form and an
affine function. It is a bent function if its quadratic form has full rank. Then the form is called bent too. A
quadratic form is written as an integer from 0 to 63. Bit b of the integer is the coefficient of the monomial x_i x_j,
where (i, j) is `PRODUCTS[b]`. Two forms with coefficients a_ij and b_ij are called orthogonal if a_01 b_23 + a_23 b_01
+ a_02 b_13 + a_13 b_02 + a_03 b_12 + a_12 b_03 is even.

All angles are at least 60 degrees for the following reasons:

- A vector of signs of a quadratic function has an even number of minus signs on each hyperplane. It also has an even
  number on the ones of a bent function if the forms of the two functions are orthogonal. A vector with an odd number of
  minus signs on these places therefore differs from it in at least one of them.
- If two quadratic functions belong to the same direction, their sum is a bent function or an affine function. Therefore
  their signs differ in at least six places.
- If two quadratic functions belong to directions 60 degrees apart, it is enough that their signs differ in four places.
  Any two quadratic functions differ in at least four.

In R^17 there are two directions, 1 and -1, with one bent form for both, and with six quadratic forms for each, which
are orthogonal to the bent form. These are the 5,730 points of Cohn & Li (2024).

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
    """Return the kissing configuration in 17 or 18 dimensions.

    Args:
        dim: 17 or 18.

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
    """Return the points of the configuration as unit rows.

    Args:
        ends: Directions in which there are layers of length sqrt 8 and sqrt 32, as rows.
        bents: For each row of `ends`, the bent form of the layer of length sqrt 8.
        between: Directions in which there are layers of length sqrt(32/9), as rows.
        forms: For each row of `between`, the quadratic forms of the functions that belong to this direction.
    """
    flat = np.zeros(ends.shape[1])
    pairs = 4 * signed_pairs(16)
    hyperplanes = _signed_sets(_affine_functions(), 8)
    parts = [_append_to_rows(pairs, flat), _append_to_rows(hyperplanes, flat)]
    for height, bent in zip(ends, bents, strict=True):
        sets = _signed_sets(_affine_functions() ^ _values(bent), 6)
        parts.append(_append_to_rows(sets, np.sqrt(8) * height))
    for height, chosen in zip(between, forms, strict=True):
        words = np.concatenate([_affine_functions() ^ _values(form) for form in chosen])
        vectors = 4 / 3 * signs_of(words)
        parts.append(_append_to_rows(vectors, np.sqrt(NORM / 9) * height))
    for height in ends:
        pole = np.zeros((1, 16))
        parts.append(_append_to_rows(pole, np.sqrt(NORM) * height))
    return np.concatenate(parts) / np.sqrt(NORM)


def _signed_sets(words: Indices, weight: int) -> Points:
    """Return all vectors with entries +-2 at the ones of a codeword, zeros elsewhere, and an odd number of entries -2.

    The codewords are the rows of `words` that have `weight` ones.
    """
    chosen = words[words.sum(axis=1) == weight]
    odd_signs = signs_of_parity(weight, 1)
    return 2 * at_ones(chosen, odd_signs)


def _append_to_rows(vectors: Points, coordinates: Points) -> Points:
    repeated = np.tile(coordinates, (len(vectors), 1))
    return np.hstack([vectors, repeated])


def _values(form: int) -> Indices:
    """Return the values at the 16 points of GF(2)^4 of the quadratic form that is written as the integer `form`."""
    points = np.arange(16)
    found = np.zeros(16, dtype=np.int64)
    for b, (i, j) in enumerate(PRODUCTS):
        found ^= (form >> b) * (points >> i) * (points >> j) & 1
    return found


def _affine_functions() -> Indices:
    """Return the values of the 32 affine functions at the 16 points of GF(2)^4, one function per row."""
    points = np.arange(16)
    linear = np.bitwise_count(points[:, None] & points).astype(np.int64) & 1
    return np.concatenate([linear, 1 - linear])
