"""Arithmetic in the finite fields GF(2^m) for m <= 16, and in the finite fields GF(q) for q <= 256.

GF(2^m) is stored as tables of powers and logarithms, and GF(q) as tables of sums and products.

See Lidl & Niederreiter, Finite Fields, chapter 2; MacWilliams & Sloane, chapters 3 and 4.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protosphere.coding.polynomials import primitive_polynomial
from protosphere.coding.primes import prime_power, prime_powers
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.types import Indices

LARGEST_ORDER = 256

Elements = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class BinaryField:
    """The finite field GF(2^m), made by `binary_field(m)`.

    An element is a polynomial over GF(2) modulo a primitive polynomial, stored as an integer below 2^m whose bits are
    the coefficients. The primitive element alpha is the polynomial x, the integer 2.

    Attributes:
        m: Degree of the field over GF(2).
        exp: Table of powers: exp[i] is alpha^i for 0 <= i < 2 (2^m - 1).
        log: Table of logarithms: log[a] is the smallest i >= 0 with alpha^i = a; log[0] is 0 and has no meaning.
        trace_mask: Bit mask that gives the trace: Tr(a) is the parity of `a & trace_mask`.
    """

    m: int
    exp: Indices
    log: Indices
    trace_mask: int

    @property
    def order(self) -> int:
        """Order 2^m - 1 of the multiplicative group, which is the number of nonzero elements."""
        return (1 << self.m) - 1

    def multiply(self, a: ArrayLike, b: ArrayLike) -> Indices:
        """Return the elementwise products of field elements.

        Args:
            a: Elements, as integers below 2^m.
            b: Elements, as an array of a shape that broadcasts with `a`.
        """
        left = np.asarray(a, dtype=np.int64)
        right = np.asarray(b, dtype=np.int64)
        products = self.exp[self.log[left] + self.log[right]]
        is_zero = (left == 0) | (right == 0)
        return np.where(is_zero, 0, products)

    def power(self, a: ArrayLike, exponent: int) -> Indices:
        """Return the elementwise powers of field elements; 0^0 is 1, and all other powers of 0 are 0.

        Args:
            a: Elements, as integers below 2^m.
            exponent: Exponent, which may be negative.
        """
        base = np.asarray(a, dtype=np.int64)
        logarithms = self.log[base] * (exponent % self.order) % self.order
        powers = self.exp[logarithms]
        if exponent == 0:
            return powers
        return np.where(base == 0, 0, powers)

    def trace(self, a: ArrayLike) -> Indices:
        """Return the traces a + a^2 + a^4 + ... + a^(2^(m-1)) of field elements; each trace is 0 or 1.

        Args:
            a: Elements, as integers below 2^m.
        """
        masked = np.asarray(a, dtype=np.int64) & self.trace_mask
        parity = np.bitwise_count(masked) & 1
        return parity.astype(np.int64)


@lru_cache
def binary_field(m: int) -> BinaryField:
    """Return the finite field GF(2^m). Its elements are polynomials over GF(2) modulo a primitive polynomial.

    The primitive polynomial has degree m. If polynomials are read as integers, with the coefficient of x^i in bit i, it
    is the smallest primitive polynomial of degree m.

    Args:
        m: Degree of the field over GF(2), from 1 to 16.

    >>> binary_field(3).multiply([2, 4], [4, 4])  # alpha^3 = alpha + 1, alpha^4 = alpha^2 + alpha
    array([3, 6])
    """
    polynomial = primitive_polynomial(m)
    order = (1 << m) - 1
    powers = np.empty(order, dtype=np.int64)
    element = 1
    for i in range(order):
        powers[i] = element
        element <<= 1
        if element >> m:
            element ^= polynomial
    log = np.zeros(order + 1, dtype=np.int64)
    log[powers] = np.arange(order)
    exp = np.concatenate([powers, powers])
    bits = np.arange(m)
    conjugates = (
        bits[:, None] << bits
    ) % order  # the conjugates of alpha^i are alpha^(i 2^j)
    traces = np.bitwise_xor.reduce(powers[conjugates], axis=1)  # each is 0 or 1
    mask = int(traces @ (1 << bits))
    exp.flags.writeable = False  # the cache hands them to everyone
    log.flags.writeable = False
    return BinaryField(m, exp, log, mask)


@dataclass(frozen=True, eq=False)
class FiniteField:
    """The finite field GF(q) with q = p^e <= 256, made by `field(q)`.

    An element is a polynomial over GF(p) modulo a primitive polynomial of degree e. This polynomial is the first of all
    primitive polynomials of degree e with leading coefficient 1, in the lexicographic order of the coefficients from
    the highest power down. An element is stored as the integer whose base-p digits c_0, c_1, ... are the coefficients
    of c_0 + c_1 x + ...

    Attributes:
        q: Number of elements.
        p: Characteristic.
        e: Degree over GF(p).
        add: q x q table of sums: add[a, b] is the sum of the elements a and b.
        multiply: q x q table of products: multiply[a, b] is the product of the elements a and b.
    """

    q: int
    p: int
    e: int
    add: Elements
    multiply: Elements


@lru_cache
def field(q: int) -> FiniteField:
    """Return the finite field GF(q) with q elements.

    Args:
        q: Prime power from 2 to 256.

    Raises:
        InvalidArgumentError: If q is not a prime power from 2 to 256; the message names the nearest prime power in this
            range.

    >>> int(field(9).multiply[3, 3])  # x^2 = -x - 2 = 2x + 1 modulo x^2 + x + 2
    7
    """
    pair = prime_power(as_integer("q", q, minimum=2))
    if pair is None or q > LARGEST_ORDER:
        orders = prime_powers(LARGEST_ORDER)
        nearest = min(orders, key=lambda order: (abs(order - q), order))
        raise InvalidArgumentError(
            f"'q' must be a prime power of at most {LARGEST_ORDER}, got {q}; nearest: {nearest}"
        )
    p, e = pair
    places = p ** np.arange(e)
    digits = np.arange(q)[:, None] // places % p
    digit_sums = (digits[:, None] + digits[None]) % p
    add = (digit_sums @ places).astype(np.uint8)
    exp = np.array(_primitive_powers(p, e), dtype=np.int64)
    log = np.zeros(q, dtype=np.int64)
    log[exp] = np.arange(q - 1)
    logarithms = (log[:, None] + log[None]) % (q - 1)
    products = exp[logarithms].astype(np.uint8)
    products[0, :] = 0
    products[:, 0] = 0
    add.flags.writeable = False
    products.flags.writeable = False
    return FiniteField(q, p, e, add, products)


def _primitive_powers(p: int, e: int) -> list[int]:
    # the list 1, x, x^2, ..., x^(p^e - 2): all nonzero elements, as integers whose base-p digits are the coefficients
    for high_first in product(range(p), repeat=e):
        powers = _powers_of_x(p, high_first[::-1])
        if len(powers) == p**e - 1:
            return powers
    raise AssertionError("there is a primitive polynomial of every degree")


def _powers_of_x(p: int, low: tuple[int, ...]) -> list[int]:
    # `low` has the coefficients of 1, x, ..., x^(e-1) in the polynomial; the coefficient of x^e is 1. Each power is
    # returned as the integer whose base-p digits are its coefficients.
    e = len(low)
    one = (1, *(0,) * (len(low) - 1))
    powers: list[int] = []
    element: tuple[int, ...] = one
    while len(powers) < p**e - 1 and any(element) and (element != one or not powers):
        powers.append(sum(c * p**i for i, c in enumerate(element)))
        top = element[-1]
        shifted = (0, *element[:-1])
        element = tuple((c - top * f) % p for c, f in zip(shifted, low, strict=True))
    return powers if element == one else []  # empty if no power of x is 1
