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
    """Yield codes of 4n points on 2n equiangular lines in R^n, where n = (q+1)/2 for a prime power q = 1 mod 4.

    First comes one unit vector of each line, then the negatives of these vectors. Paley's conference matrix of GF(q)
    has the eigenvalues sqrt(q) and -sqrt(q). The unit vectors are the rows of a matrix whose columns are an orthogonal
    basis of the eigenspace of sqrt(q).
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
    """Return one unit vector of each of the q + 1 lines, as rows.

    The first vector is (1, 0, ...). Each element x of GF(q) gives one more vector, whose first coordinate is 1/sqrt(q).
    Each pair +-a of nonzero squares of the field gives this vector two more coordinates, 2 cos(2 pi Tr(cax)/p)/sqrt(q)
    and 2 sin(2 pi Tr(cax)/p)/sqrt(q). Here p is the characteristic of the field, Tr is the trace to GF(p), and c is the
    element of `trace_sequence`.
    """
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
    """Return the traces Tr(c alpha^i) to the prime field for 0 <= i < q - 1.

    Here alpha is a primitive element of GF(q), q = p^e, and c is some fixed nonzero element. Any sequence over GF(p)
    that satisfies a linear recurrence of order e and has period p^e - 1 is of this form (Lidl & Niederreiter, theorem
    8.24). The function returns the first such sequence that it finds.

    >>> trace_sequence(9).tolist()
    [0, 1, 1, 2, 0, 2, 2, 1]
    """
    p, e = prime_power(q) or (q, 1)
    for low in product(range(p), repeat=e):
        sequence = _recurrence(p, low, q - 1)
        if sequence is not None:
            return sequence
    raise AssertionError("every finite field has a primitive element")


def _recurrence(p: int, low: tuple[int, ...], period: int) -> Indices | None:
    """Return the first `period` terms of a linear recurrence modulo `p`.

    Let e be the number of entries of `low`. The first e terms are 0, ..., 0, 1. Term i + e is low[0] times term i plus
    ... plus low[e-1] times term i + e - 1. If the shortest period of the terms is not `period`, None is returned.
    """
    e = len(low)
    start = [0] * (e - 1) + [1]
    terms = start.copy()
    while len(terms) < period + e:
        products = (c * s for c, s in zip(low, terms[-e:], strict=True))
        terms.append(sum(products) % p)

    def returns_after(steps: int) -> bool:
        return terms[steps : steps + e] == start

    if not returns_after(period):
        return None
    if any(returns_after(period // factor) for factor in prime_factors(period)):
        return None
    return np.array(terms[:period])
