"""Primitive BCH codes of length n = 2^m - 1: the cyclic codes with roots alpha, alpha^2, ..., alpha^(d-1).

Here alpha is a primitive element of GF(2^m), and d is the designed distance. A root of a code is a root of its
generator polynomial. With each root alpha^i, a code also has the conjugate roots alpha^(2i), alpha^(4i), ... A
narrow-sense code has no further roots. The even-weight subcode of a narrow-sense code consists of the codewords with an
even number of ones. The subcode has the additional root alpha^0 = 1. See MacWilliams & Sloane, chapter 7, sections 5
and 6, and chapter 9.
"""

from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np

from protosphere.coding.fields import binary_field
from protosphere.coding.linear import packed_length
from protosphere.coding.polynomials import LARGEST_DEGREE, degree, multiply
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer
from protosphere.types import Indices, PackedBits


@dataclass(frozen=True)
class BCHParameters:
    """Parameters of a primitive BCH code.

    Alpha is a primitive element of GF(2^m). A narrow-sense code consists of the binary polynomials that are zero at
    alpha, alpha^2, ..., alpha^(d-1) for some d, as vectors of their 2^m - 1 coefficients.

    Attributes:
        m: Degree of the field GF(2^m).
        n: Length 2^m - 1.
        k: Dimension: the code has 2^k codewords.
        bose_distance: Bose distance, a lower bound on the minimum distance. For a narrow-sense code, it is the largest
            d that gives this code. For an even-weight subcode, it is the Bose distance of the narrow-sense code plus 1.
        even: False for a narrow-sense code. True for the even-weight subcode of a narrow-sense code, which consists of
            the codewords with an even number of ones.
    """

    m: int
    n: int
    k: int
    bose_distance: int
    even: bool = False


@lru_cache
def bch_family(m: int, even: bool = False) -> tuple[BCHParameters, ...]:
    """Return the parameters of all narrow-sense BCH codes of length 2^m - 1, or of all their even-weight subcodes.

    The codes are in ascending order of dimension. A narrow-sense BCH code consists of the binary polynomials, as
    vectors of coefficients, that are zero at alpha, alpha^2, ..., alpha^(d-1) for some d, where alpha is a primitive
    element of GF(2^m). The largest such d is the Bose distance of the code.

    Args:
        m: Degree of the field GF(2^m), from 2 to 16.
        even: If False, the narrow-sense codes are returned. The first is the repetition code (k = 1), and the last one
            consists of all vectors (k = n). If True, their subcodes of all codewords of even weight are returned
            instead. The subcode of a code with dimension k and Bose distance d has dimension k - 1 and Bose distance d
            + 1. The repetition code, whose subcode would have dimension 0, is left out.

    Raises:
        InvalidArgumentError: If m is out of range.

    >>> [(code.k, code.bose_distance) for code in bch_family(4)]
    [(1, 15), (5, 7), (7, 5), (11, 3), (15, 1)]
    >>> [(code.k, code.bose_distance) for code in bch_family(4, even=True)]  # k = 4: the simplex code
    [(4, 8), (6, 6), (10, 4), (14, 2)]
    """
    if not 2 <= as_integer("m", m, minimum=1) <= LARGEST_DEGREE:
        raise InvalidArgumentError(
            f"'m' must be 2, ..., {LARGEST_DEGREE} (lengths 3, 7, ..., 65535), got {m}"
        )
    n = (1 << m) - 1
    leaders, sizes = coset_leaders(m)
    distances = np.append(leaders[1:], n) + even
    dimensions = n - np.concatenate([[0], np.cumsum(sizes[1:])]) - even
    pairs = zip(dimensions.tolist(), distances.tolist(), strict=True)
    return tuple(BCHParameters(m, n, k, d, even) for k, d in pairs if k)[::-1]


@lru_cache
def coset_leaders(m: int) -> tuple[Indices, Indices]:
    """Return the smallest element and the size of every cyclotomic coset {i, 2i, 4i, ...} modulo 2^m - 1.

    Args:
        m: Exponent of the modulus 2^m - 1.

    Returns:
        The smallest elements, called leaders, in ascending order, starting with 0, and the size of the coset of each
        leader.

    >>> [part.tolist() for part in coset_leaders(4)]
    [[0, 1, 3, 5, 7], [1, 4, 4, 2, 4]]
    """
    order = (1 << m) - 1
    element = np.arange(order)
    leader = element.copy()
    for _ in range(m - 1):
        element = 2 * element % order
        np.minimum(leader, element, out=leader)
    leaders, sizes = np.unique(leader, return_counts=True)
    leaders.flags.writeable = False  # the cache hands them to everyone
    sizes.flags.writeable = False
    return leaders, sizes


def minimal_polynomials(m: int, leaders: Indices) -> list[int]:
    """Return the minimal polynomials over GF(2) of given powers alpha^i.

    Alpha is a primitive element of GF(2^m). The minimal polynomial of alpha^i is the product of x - alpha^j over all j
    in the cyclotomic coset {i, 2i, 4i, ...} modulo 2^m - 1.

    Args:
        m: Degree of the field GF(2^m).
        leaders: The exponents i. Each must be the smallest element of its cyclotomic coset.

    Returns:
        The minimal polynomial of alpha^i for each i; bit j is the coefficient of x^j.
    """
    field = binary_field(m)
    all_leaders, all_sizes = coset_leaders(m)
    sizes = all_sizes[np.searchsorted(all_leaders, leaders)]
    coefficients = np.zeros((len(leaders), m + 1), dtype=np.int64)
    coefficients[:, 0] = 1
    for j in range(m):
        left = sizes > j
        roots = field.exp[(leaders[left] << j) % field.order]
        times_x = np.roll(coefficients[left], 1, axis=1)
        times_root = field.multiply(coefficients[left], roots[:, None])
        coefficients[left] = times_x ^ times_root
    return (coefficients @ (1 << np.arange(m + 1))).tolist()


@lru_cache(maxsize=256)
def generator_polynomial(m: int, k: int, even: bool = False) -> int:
    """Return the generator polynomial of a BCH code: the product of the different minimal polynomials of its roots.

    Args:
        m: Degree of the field GF(2^m); the code has length 2^m - 1.
        k: Dimension of the code, which must be one that `bch_family` returns for m and `even`.
        even: False for a narrow-sense code, which has the roots alpha, ..., alpha^(d-1) and their conjugates. True for
            its subcode of all codewords of even weight, which also has the root 1.

    Returns:
        The polynomial; bit i is the coefficient of x^i.

    >>> bin(generator_polynomial(4, 7))  # x^8 + x^7 + x^6 + x^4 + 1
    '0b111010001'
    """
    code = next(code for code in bch_family(m, even) if code.k == k)
    leaders, _ = coset_leaders(m)
    smallest = 0 if even else 1
    is_root = (leaders >= smallest) & (leaders < code.bose_distance - even)
    roots = leaders[is_root]
    return reduce(multiply, minimal_polynomials(m, roots), 1)


def systematic_rows(g: int, n: int, first: int, count: int) -> PackedBits:
    """Return consecutive rows of the systematic generator matrix [I | P] of a cyclic code.

    A row is the list of coefficients of a polynomial, with the highest power x^(n-1) first. Row i is the polynomial
    x^(n-1-i) + (x^(n-1-i) mod g), for 0 <= i < k, where k = n - deg g is the dimension.

    Args:
        g: Generator polynomial of the code; bit i is the coefficient of x^i.
        n: Length.
        first: Index i of the first row.
        count: Number of rows.

    Returns:
        The rows, packed eight bits to a byte, the highest bit first.

    Raises:
        InfeasibleError: If the matrix has fewer than `first` + `count` rows.
    """
    checks = degree(g)
    last_row = n - checks - 1
    as_integer("first", first, minimum=0)
    if first + as_integer("count", count, minimum=0) > last_row + 1:
        raise InfeasibleError(
            f"'count' must be at most k - first = {last_row + 1 - first}, got {count}"
        )
    size = packed_length(n)
    padding = -n % 8
    rows = np.empty((count, size), dtype=np.uint8)
    rest = 1 << checks
    for i in range(last_row, first - 1, -1):
        if rest >> checks:
            rest ^= g
        if i < first + count:
            word = (1 << (n - 1 - i)) ^ rest
            packed = (word << padding).to_bytes(size, "big")
            rows[i - first] = np.frombuffer(packed, dtype=np.uint8)
        rest <<= 1
    return rows
