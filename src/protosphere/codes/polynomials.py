"""Polynomials over GF(2) as Python integers: bit i is the coefficient of x^i, so 0b1011 is x^3 + x + 1.

Lidl & Niederreiter, Finite Fields, chapters 2 and 3.
"""

from functools import lru_cache

from protosphere.codes.primes import prime_factors
from protosphere.errors import InvalidArgumentError, as_integer

LARGEST_DEGREE = 16


def degree(a: int) -> int:
    """The degree of `a`; -1 for the zero polynomial."""
    return a.bit_length() - 1


def multiply(a: int, b: int) -> int:
    """The product a b.

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
    """The remainder of a by b: a = q b + r with deg r < deg b."""
    if b == 0:
        raise InvalidArgumentError("'b' must be a non-zero polynomial, got 0")
    while degree(a) >= degree(b):
        a ^= b << (degree(a) - degree(b))
    return a


def power_modulo(a: int, exponent: int, modulus: int) -> int:
    """a^exponent modulo `modulus`, by repeated squaring."""
    as_integer("exponent", exponent, minimum=0)
    result, square = remainder(1, modulus), remainder(a, modulus)
    while exponent:
        if exponent & 1:
            result = remainder(multiply(result, square), modulus)
        square = remainder(multiply(square, square), modulus)
        exponent >>= 1
    return result


def is_primitive(f: int) -> bool:
    """Whether x generates the non-zero elements of GF(2)[x]/f, a field: x has order 2^m - 1 (L&N theorem 3.16)."""
    m = degree(f)
    if m < 1 or not f & 1:
        return False
    order, x = (1 << m) - 1, remainder(2, f)
    if power_modulo(x, order, f) != 1:
        return False
    return all(power_modulo(x, order // p, f) != 1 for p in prime_factors(order))


@lru_cache
def primitive_polynomial(m: int) -> int:
    """The numerically smallest primitive polynomial of degree m, 1 <= m <= 16.

    >>> [primitive_polynomial(m) for m in (2, 3, 4, 8)]
    [7, 11, 19, 285]
    """
    if as_integer("m", m, minimum=1) > LARGEST_DEGREE:
        raise InvalidArgumentError(f"'m' must be at most {LARGEST_DEGREE}, got {m}")
    return next(f for f in range((1 << m) | 1, 2 << m, 2) if is_primitive(f))
