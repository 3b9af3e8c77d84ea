"""Codes of chirps, that is exponentials of polynomials modulo a prime p, as real vectors of 2p coordinates."""

from collections.abc import Iterator
from functools import partial
from math import isqrt, sqrt

import numpy as np

from protosphere.coding.primes import is_prime
from protosphere.constructions.families import (
    LARGEST_FAMILY_DIM,
    Member,
    dense_member,
    family,
)
from protosphere.types import Indices, Points

ENOUGH = 2_000_000
"""Codes of degree d > 2 are listed only if the code of degree d - 1 has fewer points than this."""


@family(
    summary="chirps modulo a prime p, n = 2p, up to 4p^2 + 4p points at max cosine 1/sqrt(p), or more at higher ones",
    reference="Alltop (1980); Weil (1948); Strohmer & Heath (2003)",
)
def weil_chirp() -> Iterator[Member]:
    """Yield codes of chirps, as real vectors of 2p coordinates for an odd prime p.

    The chirp of a polynomial f modulo p is the complex vector with the p entries exp(2 pi i f(x)/p)/sqrt(p) for x = 0,
    ..., p-1. A code has the chirps of all polynomials of degree at most d with f(0) = 0, each multiplied by 1, i, -1
    and -i. The code with d = 2 also has the vectors of the standard basis of C^p, each multiplied by 1, i, -1 and -i. A
    complex vector becomes 2p real coordinates: the real parts of its entries, then the imaginary parts.

    The maximum cosine of the code is at most (d-1)/sqrt(p) (Weil).
    """
    for p in range(3, LARGEST_FAMILY_DIM // 2 + 1):
        if is_prime(p):
            for degree in _degrees(p):
                yield _member(p, degree)


def _degrees(p: int) -> Iterator[int]:
    # the bound (d - 1)/sqrt(p) on the cosines must be below 1, and the code must not be too large
    yield 2
    for degree in range(3, isqrt(p - 1) + 2):
        if 4 * p ** (degree - 1) < ENOUGH:
            yield degree


def _member(p: int, degree: int) -> Member:
    if degree == 2:
        size = 4 * p * (p + 1)
        basis = "and the basis, "
    else:
        size = 4 * p**degree
        basis = ""
    return dense_member(
        dim=2 * p,
        size=size,
        max_cosine=(degree - 1) / sqrt(p),
        id=f"chirps-{p}-{degree}",
        description=f"chirps of degree up to {degree} modulo {p}, {basis}times 1, i, -1, -i",
        points=partial(_points, p, degree),
    )


def _points(p: int, degree: int, count: int) -> Points:
    # The absolute value of the inner product of two different chirps is at most (d-1)/sqrt(p) (Weil). If d = 2, it is
    # either 0 or equal to this bound (Gauss), and the cosines with the basis also have this bound.
    num_chirps = min(count, 4 * p**degree)
    chirps = _chirps(p, degree, num_chirps)
    basis = _basis(p, count - num_chirps)
    return np.concatenate([chirps, basis])


def _chirps(p: int, degree: int, count: int) -> Points:
    # The four multiples of a chirp are consecutive. The coefficient of x changes fastest from chirp to chirp, so that
    # any two of the first 4p points are orthogonal or antipodal.
    numbers = np.arange(-(-count // 4))
    angles = 2 * np.pi * np.arange(p) / p
    values = _polynomial_values(p, degree, numbers)
    real = (np.cos(angles) / sqrt(p))[values]
    imaginary = (np.sin(angles) / sqrt(p))[values]
    chirps = np.empty((len(numbers), 4, 2 * p))
    chirps[:, 0, :p] = real
    chirps[:, 0, p:] = imaginary
    chirps[:, 1, :p] = -imaginary
    chirps[:, 1, p:] = real
    np.negative(chirps[:, :2], out=chirps[:, 2:])
    return chirps.reshape(-1, 2 * p)[:count]


def _basis(p: int, count: int) -> Points:
    # e_0, i e_0, -e_0, -i e_0, e_1, i e_1, and so on, where e_j are the vectors of the standard basis of C^p
    numbers = np.arange(count)
    imaginary = numbers % 2
    negative = numbers % 4 // 2
    basis = np.zeros((count, 2 * p))
    basis[numbers, numbers // 4 + p * imaginary] = 1 - 2 * negative
    return basis


def _polynomial_values(p: int, degree: int, numbers: Indices) -> Indices:
    # the lowest `degree` digits of numbers[j] in base p are the coefficients of x, x^2, ... of the polynomial in row j
    values = np.zeros((len(numbers), p), dtype=np.int64)
    power = np.ones(p, dtype=np.int64)
    for i in range(degree):
        power = power * np.arange(p) % p
        coefficients = numbers // p**i % p
        values += coefficients[:, None] * power
    return values % p
