"""Equiangular lines from the unitary and the symplectic two-graphs, with both unit vectors of each line."""

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
"""Symplectic lines up to 2,080 in R^715; the next have 8,128 and need a Gram matrix of half a gigabyte."""


def _unitary() -> Iterator[Member]:
    for q in (
        q for q in prime_powers(LARGEST_ORDER) if q % 2 and q * q <= LARGEST_ORDER
    ):
        recipe = f"unitary two-graph over GF({q * q})"
        yield _member(q * q - q + 1, q**3 + 1, q, partial(unitary_signs, q), recipe)


def _symplectic() -> Iterator[Member]:
    for m, sign in product(range(3, LARGEST_M + 1), (1, -1)):
        if (m, sign) == (3, -1):
            continue  # the unitary one of q = 3
        whole = 2**m + sign
        half = 2 ** (m - 1) + sign
        recipe = f"symplectic two-graph of type {'-+'[sign > 0]} over GF(2)^{2 * m}"
        yield _member(
            whole * half // 3,
            whole * 2 ** (m - 1),
            half,
            partial(symplectic_signs, m, sign),
            recipe,
        )


def _member(
    dim: int, lines: int, root: int, signs: Callable[[], Points], recipe: str
) -> Member:
    return lines_member(
        dim, lines, Fraction(1, root), recipe, lambda: frame(signs() / root, dim)
    )


@family(
    summary="equiangular lines of two-graphs: (n, K) = (7,56), (15,72), (21,252), (35,240), (43,688), ...; 1/q",
    reference="Taylor (1977); Seidel (1976); Delsarte, Goethals & Seidel (1977)",
)
def two_graph_frame() -> Iterable[Member]:
    """Unitary, q an odd prime power: q^3 + 1 lines in R^(q^2-q+1), cosine 1/q. Symplectic, s = +-1: 2^(m-1) (2^m + s)
    lines in R^((2^m + s)(2^(m-1) + s)/3), cosine 1/(2^(m-1) + s). One vector of each line first, then their negatives.
    """
    return sorted((*_unitary(), *_symplectic()), key=lambda member: member.dim)


def unitary_signs(q: int) -> Points:
    """+-1 for two of the q^3 + 1 isotropic points of the Hermitian form on GF(q^2)^3: is their product a square?

    The form is x0 y2' + x1 y1' + x2 y0', y' = y^q; the points are (0, 0, 1) and (1, b, c) with c + c' + b b' = 0.
    """
    F = field(q * q)
    elements = conjugate = np.arange(F.q)
    for _ in range(q - 1):
        conjugate = F.multiply[conjugate, elements].astype(np.int64)
    norms = F.multiply[elements, conjugate]
    traces = F.add[elements, conjugate]
    b, c = np.nonzero(F.add[norms[:, None], traces] == 0)
    inner = F.add[F.multiply[b[:, None], conjugate[b]], F.add[c[:, None], conjugate[c]]]
    squares = np.zeros(F.q, dtype=np.bool_)
    squares[np.diagonal(F.multiply)] = True
    signs = np.ones((len(b) + 1, len(b) + 1))
    signs[1:, 1:] = np.where(squares[inner], 1.0, -1.0)
    return signs if q % 4 == 1 else -signs


def symplectic_signs(m: int, sign: int) -> Points:
    """+-1 for two of the vectors of GF(2)^(2m) where a quadratic form of type -sign is 1: the symplectic product."""
    numbers = np.arange(1 << 2 * m)
    left = numbers >> m
    right = numbers & ((1 << m) - 1)
    form = np.bitwise_count(left & right) + (
        np.bitwise_count((left ^ right) & 1) if sign > 0 else 0
    )
    chosen = np.flatnonzero(form % 2)  # where sign > 0, x1 y1 + x1^2 + y1^2 is elliptic
    x = left[chosen]
    y = right[chosen]
    products = np.bitwise_count(x[:, None] & y) + np.bitwise_count(y[:, None] & x)
    return np.where(products % 2, -1.0, 1.0) * sign
