"""Chirps: exponentials of polynomials modulo a prime, as real vectors."""

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
"""Degrees go up until there are so many points."""


@family(
    summary="Weil chirps: n = 2p for a prime p, K <= 4p^2 + 4p at max cosine 1/sqrt(p), 4p^d at (d-1)/sqrt(p) at most",
    reference="Alltop (1980); Weil (1948); Strohmer & Heath (2003)",
)
def weil_chirp() -> Iterator[Member]:
    """(cos, sin)(2 pi f(x)/p)/sqrt(p) for polynomials f of degree at most d without constant term, times 1, i, -1, -i.

    Inner products are character sums of f - g, (d-1) sqrt(p) at most (Weil); equality for d = 2 (Gauss), where the
    basis of C^p joins in. Four multiples of each chirp together, coefficients of low degree running fastest, so that
    the first 4p points are orthogonal or opposite; the basis comes last.
    """
    for p in filter(is_prime, range(3, LARGEST_FAMILY_DIM // 2 + 1)):
        # higher degrees d while the bound says something, (d - 1)^2 < p
        higher = (d for d in range(3, isqrt(p - 1) + 2) if 4 * p ** (d - 1) < ENOUGH)
        for degree in (2, *higher):
            size, more = (
                (4 * p * (p + 1), "and the basis, ")
                if degree == 2
                else (4 * p**degree, "")
            )
            recipe = (
                f"chirps of degree up to {degree} modulo {p}, {more}times 1, i, -1, -i"
            )
            yield dense_member(
                2 * p, size, (degree - 1) / sqrt(p), recipe, partial(_points, p, degree)
            )


def _points(p: int, degree: int, count: int) -> Points:
    """The first `count`: the chirps, each with its four multiples, and then the basis."""
    num_chirps = min(count, 4 * p**degree)
    numbers = np.arange(-(-num_chirps // 4))
    angles = 2 * np.pi * np.arange(p) / p
    values = _values(p, degree, numbers)
    real = (np.cos(angles) / sqrt(p))[values]
    imaginary = (np.sin(angles) / sqrt(p))[values]
    chirps = np.empty((len(numbers), 4, 2 * p))
    chirps[:, 0, :p], chirps[:, 0, p:] = real, imaginary
    chirps[:, 1, :p], chirps[:, 1, p:] = -imaginary, real
    np.negative(chirps[:, :2], out=chirps[:, 2:])
    which = np.arange(count - num_chirps)
    basis = np.zeros((len(which), 2 * p))
    basis[which, which // 4 + p * (which % 2)] = 1 - 2 * (which % 4 // 2)
    return np.concatenate([chirps.reshape(-1, 2 * p)[:num_chirps], basis])


def _values(p: int, degree: int, numbers: Indices) -> Indices:
    """f(x) modulo p for all x, f the polynomial whose coefficients of x, x^2, ... are the base-p digits of a number."""
    values = np.zeros((len(numbers), p), dtype=np.int64)
    power = np.ones(p, dtype=np.int64)
    for i in range(degree):
        power = power * np.arange(p) % p
        values += (numbers // p**i % p)[:, None] * power
    return values % p
