"""Primitive BCH codes of length n = 2^m - 1: the cyclic codes with roots alpha, alpha^2, ..., alpha^(d-1).

MacWilliams & Sloane, chapter 7, section 6, and chapter 9. Narrow-sense codes have just those roots; the even-weight
subcodes have alpha^0 = 1 as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import lgamma, log

import numpy as np

from protosphere.codes.cyclotomic import coset_leaders, minimal_polynomials
from protosphere.codes.distance import minimum_distance
from protosphere.codes.linear import LinearCode, MinimumDistance, packed_length
from protosphere.codes.polynomials import LARGEST_DEGREE, degree, multiply
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer
from protosphere.types import PackedBits


@dataclass(frozen=True)
class BCHParameters:
    """A BCH code: its length, its dimension, and its Bose distance (the largest designed distance giving this code).

    `exact` says that a theorem makes the Bose distance the minimum distance; `reason` names it.
    """

    m: int
    n: int
    k: int
    bose_distance: int
    even: bool
    exact: bool
    reason: str


@lru_cache
def bch_family(m: int) -> tuple[BCHParameters, ...]:
    """Every narrow-sense code of length 2^m - 1, 2 <= m <= 16, by ascending k: from repetition (k = 1) to k = n.

    >>> [(code.k, code.bose_distance) for code in bch_family(4)]
    [(1, 15), (5, 7), (7, 5), (11, 3), (15, 1)]
    """
    n = _length(m)
    leaders, sizes = coset_leaders(m)
    distances = np.append(leaders[1:], n).tolist()
    dimensions = (n - np.concatenate([[0], np.cumsum(sizes[1:])])).tolist()
    pairs = zip(dimensions, distances, strict=True)
    return tuple(_narrow_sense(m, k, d) for k, d in pairs)[::-1]


@lru_cache
def even_weight_family(m: int) -> tuple[BCHParameters, ...]:
    """The even-weight subcode of every narrow-sense code but repetition, by ascending k: one dimension less.

    One root more gives the designed distance d + 1. It is exact whenever d is: the extended code is invariant under
    the affine group (M&S chapter 8, section 5), so some lightest word vanishes at the added place.

    >>> [(code.k, code.bose_distance) for code in even_weight_family(4)]  # k = 4: the simplex code
    [(4, 8), (6, 6), (10, 4), (14, 2)]
    """
    return tuple(
        BCHParameters(m, code.n, code.k - 1, code.bose_distance + 1, True, code.exact, f"even weights; {code.reason}")
        for code in bch_family(m)[1:]
    )


def bch_parameters(m: int, k: int, even: bool = False) -> BCHParameters:
    """The code of dimension k in the family of m."""
    family = even_weight_family(m) if even else bch_family(m)
    for code in family:
        if code.k == k:
            return code
    below, above = [code.k for code in family if code.k < k][-1:], [code.k for code in family if code.k > k][:1]
    nearest = ", ".join(map(str, below + above))
    length = _length(m)
    raise InfeasibleError(f"'k' must be the dimension of a BCH code of length {length}, got {k}; nearest: {nearest}")


@lru_cache(maxsize=256)
def generator_polynomial(m: int, k: int, even: bool = False) -> int:
    """The product of the minimal polynomials of the roots; bit i is the coefficient of x^i.

    >>> bin(generator_polynomial(4, 7))  # x^8 + x^7 + x^6 + x^4 + 1
    '0b111010001'
    """
    code = bch_parameters(m, k, even)
    leaders, _ = coset_leaders(m)
    roots = leaders[(leaders < code.bose_distance - even) & (leaders >= (0 if even else 1))]
    product = 1
    for factor in minimal_polynomials(m, roots):
        product = multiply(product, factor)
    return product


def systematic_rows(g: int, n: int, first: int, count: int) -> PackedBits:
    """Rows first, ..., first + count - 1 of the systematic generator [I | P] of the cyclic code of g.

    Bit j of a row is the coefficient of x^(n-1-j); row i is x^(n-1-i) + (x^(n-1-i) mod g), for 0 <= i < k.
    """
    checks = degree(g)
    last_row = n - checks - 1
    as_integer("first", first, minimum=0)
    if first + as_integer("count", count, minimum=0) > last_row + 1:
        raise InfeasibleError(f"'count' must be at most k - first = {last_row + 1 - first}, got {count}")
    size, padding = packed_length(n), -n % 8
    rows = np.empty((count, size), dtype=np.uint8)
    tail = 1 << checks
    for i in range(last_row, first - 1, -1):
        tail ^= g if tail >> checks else 0
        if i < first + count:
            word = (1 << (n - 1 - i)) ^ tail
            rows[i - first] = np.frombuffer((word << padding).to_bytes(size, "big"), dtype=np.uint8)
        tail <<= 1
    return rows


def bch(m: int, k: int, even: bool = False) -> LinearCode:
    """The BCH code of dimension k and length 2^m - 1 with its systematic generator; `even` for even weights only.

    >>> bch(5, 11).distance.value
    11
    """
    code = bch_parameters(m, k, even)
    generator = systematic_rows(generator_polynomial(m, k, even), code.n, 0, k)
    distance = MinimumDistance(code.bose_distance, True, code.reason)
    if not code.exact:
        distance = minimum_distance(generator, code.n, code.bose_distance, code.reason)
    return LinearCode(code.n, k, generator, distance, f"{'even ' if even else ''}BCH({code.n},{k})")


def _length(m: int) -> int:
    if not 2 <= as_integer("m", m, minimum=1) <= LARGEST_DEGREE:
        raise InvalidArgumentError(f"'m' must be 2, ..., {LARGEST_DEGREE} (lengths 3, 7, ..., 65535), got {m}")
    return (1 << m) - 1


def _narrow_sense(m: int, k: int, d: int) -> BCHParameters:
    n = (1 << m) - 1
    theorem = _exactness_theorem(n, k, d)
    return BCHParameters(m, n, k, d, False, theorem is not None, theorem or "BCH bound (Bose distance)")


def _exactness_theorem(n: int, k: int, d: int) -> str | None:
    """Why the minimum distance of the narrow-sense code is its Bose distance d, where a cheap theorem says so.

    MacWilliams & Sloane, chapter 9, section 2.
    """
    if n % d == 0:
        return "Bose distance dividing n"  # attained by the word (x^n - 1)/(x^(n/d) - 1)
    if d & (d + 1) == 0:
        return "Bose distance 2^h - 1"
    if _log2_binomial(n, (d + 1) // 2) > n - k + 0.01:
        return "sphere packing and odd distance"  # Farr: d + 2 would overfill the space
    return None


def _log2_binomial(n: int, i: int) -> float:
    return (lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)) / log(2)
