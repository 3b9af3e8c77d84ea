"""Equiangular lines from the unitary and the symplectic two-graphs.

A two-graph is given by a symmetric matrix of signs, with a row and a column for each line. The inner product of the
unit vectors on two different lines is the sign of the two lines, divided by an integer that all pairs share.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from protosphere.coding.fields import LARGEST_ORDER, field
from protosphere.coding.primes import prime_powers
from protosphere.constructions.families import Member, family
from protosphere.constructions.frames.tight_frames import frame, lines_member
from protosphere.types import Points

LARGEST_M = 6
"""Largest m of symplectic two-graphs, with up to 2,080 lines in R^715.

The next m has up to 8,256 lines, whose Gram matrix takes half a gigabyte.
"""


def _unitary() -> Iterator[Member]:
    for q in prime_powers(LARGEST_ORDER):
        if q % 2 == 0 or q * q > LARGEST_ORDER:
            continue
        yield _member(
            dim=q * q - q + 1,
            num_lines=q**3 + 1,
            inverse_cosine=q,
            signs=partial(unitary_signs, q),
            id=f"unitary-{q}",
            description=f"unitary two-graph over GF({q * q})",
        )


def _symplectic() -> Iterator[Member]:
    for m, sign in product(range(3, LARGEST_M + 1), (1, -1)):
        if (m, sign) == (3, -1):
            continue  # the unitary one of q = 3
        kind = "+" if sign > 0 else "-"
        whole = 2**m + sign
        half = 2 ** (m - 1) + sign
        yield _member(
            dim=whole * half // 3,
            num_lines=whole * 2 ** (m - 1),
            inverse_cosine=half,
            signs=partial(symplectic_signs, m, sign),
            id=f"symplectic-{'plus' if sign > 0 else 'minus'}-{2 * m}",
            description=f"symplectic two-graph of type {kind} over GF(2)^{2 * m}",
        )


def _member(
    dim: int,
    num_lines: int,
    inverse_cosine: int,
    signs: Callable[[], Points],
    id: str,
    description: str,
) -> Member:
    def points() -> Points:
        return frame(signs() / inverse_cosine, dim)

    return lines_member(
        dim, num_lines, Fraction(1, inverse_cosine), id, description, points
    )


@family(
    summary="equiangular lines of two-graphs, up to K points in R^n, (n, K) = (7,56), (15,72), (21,252), (35,240), ...",
    reference="Taylor (1977); Seidel (1976); Delsarte, Goethals & Seidel (1977)",
)
def two_graph_frame() -> Iterable[Member]:
    """Yield codes of the unit vectors on equiangular lines, by ascending dimension.

    The lines belong to two-graphs of two kinds:

    - The unitary two-graph of an odd prime power q <= 16 gives q^3 + 1 lines in R^(q^2-q+1), whose absolute cosines are
      1/q.
    - The symplectic two-graph of an integer m from 3 to 6 and a sign s = +-1 gives 2^(m-1) (2^m + s) lines in
      R^((2^m + s)(2^(m-1) + s)/3), whose absolute cosines are 1/(2^(m-1) + s). The case m = 3, s = -1 is left out,
      because it is the unitary two-graph of q = 3.

    First comes one unit vector of each line, then the negatives of these vectors.
    """
    members = [*_unitary(), *_symplectic()]
    return sorted(members, key=lambda member: member.dim)


def unitary_signs(q: int) -> Points:
    """Return the signs of the unitary two-graph, one for each pair of isotropic points of GF(q^2)^3.

    Let y' = y^q for an element y of GF(q^2). The isotropic points are (0, 0, 1) and all points (1, b, c) for which the
    sum c + c' + b b' is 0. The Hermitian product of two points x and y is the sum x0 y2' + x1 y1' + x2 y0'.

    If q = 1 mod 4, the sign of a pair is 1 if the product is a square in GF(q^2), and -1 otherwise. If q = 3 mod 4, all
    signs are reversed.

    Args:
        q: Odd prime power.

    Returns:
        A symmetric matrix of +-1 with a row and a column for each of the q^3 + 1 points.
    """
    F = field(q * q)
    elements = conjugate = np.arange(F.q)
    for _ in range(q - 1):
        conjugate = F.multiply[conjugate, elements].astype(np.int64)
    norms = F.multiply[elements, conjugate]
    traces = F.add[elements, conjugate]
    b, c = np.nonzero(F.add[norms[:, None], traces] == 0)
    middle = F.multiply[b[:, None], conjugate[b]]
    outer = F.add[c[:, None], conjugate[c]]
    inner = F.add[middle, outer]
    squares = np.zeros(F.q, dtype=np.bool_)
    squares[np.diagonal(F.multiply)] = True
    signs = np.ones((len(b) + 1, len(b) + 1))
    signs[1:, 1:] = np.where(squares[inner], 1.0, -1.0)
    return signs if q % 4 == 1 else -signs


def symplectic_signs(m: int, sign: int) -> Points:
    """Return the signs of a symplectic two-graph, one for each pair of vectors of GF(2)^(2m) at which a form Q is 1.

    A vector (x, y) consists of two halves x and y of m bits. Let <x, y> be their inner product. The quadratic form Q is
    <x, y> if `sign` is -1, and <x, y> + x_1 + y_1 if `sign` is 1. The symplectic product of (x, y) and (u, v) is the
    sum <x, v> + <y, u> modulo 2. The sign of the two vectors is `sign` if this product is 0, and -`sign` if it is 1.

    Args:
        m: Half of the dimension of the vectors.
        sign: Type of the two-graph, 1 or -1. The form Q is elliptic for 1 and hyperbolic for -1.

    Returns:
        A symmetric matrix of +-1 with a row and a column for each vector.
    """
    numbers = np.arange(1 << 2 * m)
    left = numbers >> m
    right = numbers & ((1 << m) - 1)
    form = np.bitwise_count(left & right)
    if sign > 0:  # x1 y1 + x1^2 + y1^2 is elliptic
        form = form + np.bitwise_count((left ^ right) & 1)
    chosen = np.flatnonzero(form % 2)
    x = left[chosen]
    y = right[chosen]
    products = np.bitwise_count(x[:, None] & y) + np.bitwise_count(y[:, None] & x)
    return np.where(products % 2, -1.0, 1.0) * sign
