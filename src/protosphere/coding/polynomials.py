"""Polynomials over GF(2) as Python integers: bit i is the coefficient of x^i, so 0b1011 is x^3 + x + 1.

See Lidl & Niederreiter, Finite Fields, chapters 2 and 3.
"""

from protosphere.errors import InvalidArgumentError, as_integer

PRIMITIVE = (
    3,
    7,
    11,
    19,
    37,
    67,
    131,
    285,
    529,
    1033,
    2053,
    4179,
    8219,
    16427,
    32771,
    65581,
)
"""Smallest primitive polynomial of each degree m = 1, 2, ..., modulo which x has order 2^m - 1.

See Lidl & Niederreiter, table D.
"""

LARGEST_DEGREE = len(PRIMITIVE)


def degree(a: int) -> int:
    """Return the degree of a polynomial, or -1 for the zero polynomial.

    Args:
        a: Polynomial.
    """
    return a.bit_length() - 1


def multiply(a: int, b: int) -> int:
    """Return the product of two polynomials.

    Args:
        a: The first polynomial.
        b: The second polynomial.

    >>> multiply(0b11, 0b11)  # (x + 1)^2 = x^2 + 1
    5
    """
    if b.bit_count() > a.bit_count():
        a, b = b, a
    product = 0
    while b:
        low = b & -b
        product ^= a << degree(low)
        b ^= low
    return product


def remainder(a: int, b: int) -> int:
    """Return the remainder of the division of `a` by `b`: the r with a = q b + r and deg r < deg b.

    Args:
        a: Polynomial.
        b: Polynomial that is not zero.

    Raises:
        InvalidArgumentError: If `b` is zero.
    """
    if b == 0:
        raise InvalidArgumentError("'b' must be a non-zero polynomial, got 0")
    while degree(a) >= degree(b):
        a ^= b << (degree(a) - degree(b))
    return a


def primitive_polynomial(m: int) -> int:
    """Return the primitive polynomial of degree m that is the smallest integer.

    Args:
        m: Degree, from 1 to 16.

    Raises:
        InvalidArgumentError: If `m` is not an integer from 1 to 16.

    >>> [primitive_polynomial(m) for m in (2, 3, 4, 8)]
    [7, 11, 19, 285]
    """
    if as_integer("m", m, minimum=1) > LARGEST_DEGREE:
        raise InvalidArgumentError(f"'m' must be at most {LARGEST_DEGREE}, got {m}")
    return PRIMITIVE[m - 1]
