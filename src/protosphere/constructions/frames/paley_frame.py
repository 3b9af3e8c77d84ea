"""Equiangular lines from Paley's conference matrices; a code has both unit vectors of each line."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import sqrt

import numpy as np

from protosphere.bounds.welch import root
from protosphere.coding.primes import prime_factors, prime_power, prime_powers
from protosphere.constructions.families import LARGEST_FAMILY_DIM, Member, family
from protosphere.constructions.frames.tight_frames import lines_member
from protosphere.types import Indices, Points


@family(
    summary="Paley's equiangular lines, up to 4n points, n = (q+1)/2, q = 1 mod 4 a prime power; max cosine 1/sqrt(q)",
    reference="Paley (1933); van Lint & Seidel (1966); Strohmer & Heath (2003)",
)
def paley_frame() -> Iterator[Member]:
    """Yield codes of the 4n unit vectors of 2n equiangular lines in R^n, for n = (q+1)/2 and prime powers q = 1 mod 4.

    First comes one unit vector of each line, then the negatives of these vectors. The cosine of vectors of different
    lines is 1/sqrt(q) or -1/sqrt(q). The lines come from Paley's conference matrix of GF(q).
    """
    for q in prime_powers(2 * LARGEST_FAMILY_DIM - 1):
        if q % 4 == 1:
            yield lines_member(
                dim=(q + 1) // 2,
                num_lines=q + 1,
                max_cosine=1 / root(q),
                id=f"paley-{q}",
                description=f"Paley conference frame of GF({q})",
                lines=partial(paley_points, q),
            )


def paley_points(q: int) -> Points:
    """Return one unit vector of each of Paley's q + 1 equiangular lines, as rows of (q + 1)/2 coordinates.

    The cosine of two different rows is 1/sqrt(q) or -1/sqrt(q).

    Args:
        q: Prime power that is 1 modulo 4.
    """
    # The conference matrix has the eigenvalues sqrt(q) and -sqrt(q). The points are the rows of a matrix whose columns
    # are an orthogonal basis of the eigenspace of sqrt(q). The first row is (1, 0, ...). Each element x of GF(q) gives
    # one more row, whose first coordinate is 1/sqrt(q). Each pair +-a of nonzero squares gives this row the coordinates
    # 2 cos(2 pi Tr(cax)/p)/sqrt(q) and 2 sin(2 pi Tr(cax)/p)/sqrt(q), with the fixed c of `trace_sequence`.
    p, _ = prime_power(q) or (q, 1)
    squares = 2 * np.arange((q - 1) // 4)
    exponents = np.arange(q - 1)
    traces = np.zeros((q, (q - 1) // 4), dtype=np.int64)  # the row of x = 0 stays 0
    traces[1:] = trace_sequence(q)[(exponents[:, None] + squares) % (q - 1)]
    angles = 2 * np.pi * np.arange(p) / p
    points = np.zeros((q + 1, (q + 1) // 2))
    points[0, 0] = 1
    points[1:, 0] = 1 / sqrt(q)
    points[1:, 1::2] = (2 / sqrt(q) * np.cos(angles))[traces]
    points[1:, 2::2] = (2 / sqrt(q) * np.sin(angles))[traces]
    return points


def trace_sequence(q: int) -> Indices:
    """Return the traces Tr(c alpha^i) from GF(q) to its prime field GF(p), for i = 0, ..., q - 2.

    Here alpha is some primitive element of GF(q), and c is some fixed nonzero element. The traces are integers from 0
    to p - 1.

    Args:
        q: Power of a prime p.

    >>> trace_sequence(9).tolist()
    [0, 1, 1, 2, 0, 2, 2, 1]
    """
    # Any sequence over GF(p) that satisfies a linear recurrence of order e and has period p^e - 1 is of this form (Lidl
    # & Niederreiter, theorem 8.24). The first such sequence is taken.
    p, e = prime_power(q) or (q, 1)
    for coefficients in product(range(p), repeat=e):
        sequence = _period_of_recurrence(p, coefficients, q - 1)
        if sequence is not None:
            return sequence
    raise AssertionError("every finite field has a primitive element")


def _period_of_recurrence(
    p: int, coefficients: tuple[int, ...], period: int
) -> Indices | None:
    # term i + e is coefficients[0] times term i plus ... plus coefficients[e-1] times term i + e - 1
    e = len(coefficients)
    start = [0] * (e - 1) + [1]
    terms = start.copy()
    while len(terms) < period + e:
        products = (c * s for c, s in zip(coefficients, terms[-e:], strict=True))
        terms.append(sum(products) % p)

    def returns_after(steps: int) -> bool:
        return terms[steps : steps + e] == start

    if not returns_after(period):
        return None
    if any(returns_after(period // factor) for factor in prime_factors(period)):
        return None
    return np.array(terms[:period])
