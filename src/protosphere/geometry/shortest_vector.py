"""Test whether a lattice has vectors shorter than a given length, by enumeration.

The basis is reduced (Lenstra, Lenstra & Lovasz 1982). Then the coefficients of the vectors are enumerated from the last
to the first (Fincke & Pohst 1985). A partial vector has only the last few coefficients. Each step adds one coefficient
to all partial vectors. Then every partial vector is projected to the orthogonal complement of the basis vectors whose
coefficients are still missing. A partial vector is dropped if its projection is too long.
"""

import numpy as np

from protosphere.types import Points

ROUNDING = 1e-9
"""Relative difference of squared lengths up to which a vector counts as equally long rather than shorter."""

LOVASZ = 0.99
MOST_SWAPS = 20_000

MOST_PARTS = 64
"""Largest m for which the search tests whether the basis has only inner products that are multiples of L / m.

L is the given squared length."""

BELOW_NEXT = 1e-6
"""Relative margin for rounding.

If the squared lengths of all lattice vectors are multiples of a unit, vectors are searched up to the largest multiple
below the given squared length, times 1 + this margin.
"""

MOST_PARTIAL = 2_000_000
"""Largest number of partial vectors in memory (500 MB); lattices of 32 dimensions need a few thousand."""


def has_shorter(basis: Points, squared_length: float) -> bool | None:
    """Return whether a lattice has a nonzero vector shorter than a given length, or None if this is not decided.

    Args:
        basis: Basis of the lattice, as rows.
        squared_length: Square of the given length. Vectors of this length up to rounding errors are not shorter.

    Returns:
        True if there is such a vector, False if there is none. None means that this is not decided, because the basis
        cannot be reduced or the enumeration of short vectors needs too much memory.

    >>> has_shorter(np.array([[2.0, 0.0], [1.0, 1.0]]), 2.0)
    False
    >>> has_shorter(np.array([[2.0, 0.0], [1.0, 0.5]]), 2.0)
    True
    """
    reduced = lll_reduced(basis)
    if reduced is None:
        return None
    return _any_within(_triangle(reduced), _largest_shorter(reduced, squared_length))


def _largest_shorter(basis: Points, squared_length: float) -> float:
    # If the inner products of the basis are multiples of a unit, up to rounding, then so are all squared lengths. The
    # bound is then the largest multiple below `squared_length`, plus a bound on the rounding error. The rounding error
    # of a squared length is a sum over pairs of basis vectors: the error of their inner product times the two
    # coefficients. A coefficient is at most the length of the lattice vector times the length of a dual basis vector.
    gram = basis @ basis.T
    norms = np.linalg.norm(basis, axis=1)
    rounding = len(basis) * np.finfo(float).eps * np.outer(norms, norms)
    coefficients = np.linalg.norm(np.linalg.inv(basis), axis=0)
    for parts in range(1, MOST_PARTS + 1):
        multiples = np.rint(gram * (parts / squared_length))
        errors = np.abs(gram - squared_length / parts * multiples) + rounding
        slack = float(coefficients @ errors @ coefficients)
        if slack < ROUNDING / 2:
            is_even = not np.any(np.diag(multiples) % 2)
            step = 2 if is_even else 1  # squared lengths of an even lattice are even
            if parts % step == 0:
                below = (1 - step / parts) * (1 + BELOW_NEXT)
                return squared_length * (below + slack)
    return squared_length * (1 - ROUNDING)


def _any_within(triangle: Points, squared_length: float) -> bool | None:
    # the columns of `triangle` are a basis of the lattice
    heights = np.diag(triangle) ** 2
    slopes = triangle / np.diag(triangle)[:, None]
    vectors = np.zeros((1, len(triangle)))
    lengths = np.zeros(1)
    for level in reversed(range(len(triangle))):
        centers = -vectors @ slopes[level]
        reach = np.sqrt(np.maximum(0.0, squared_length - lengths) / heights[level])
        lowest = np.ceil(centers - reach)
        highest = np.floor(centers + reach)
        # the coefficients of the first partial vector are 0 so far: of a vector and its negative, one is enough
        lowest[0] = 0.0
        counts = np.maximum(0, highest - lowest + 1).astype(np.int64)
        if counts.sum() > MOST_PARTIAL:
            return None
        which = np.repeat(np.arange(len(vectors)), counts)
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        steps = np.arange(len(which)) - firsts
        vectors = vectors[which]
        vectors[:, level] = lowest[which] + steps
        offsets = vectors[:, level] - centers[which]
        lengths = lengths[which] + heights[level] * offsets**2
    is_nonzero = vectors.any(axis=1)
    return bool(np.any((lengths <= squared_length) & is_nonzero))


def lll_reduced(basis: Points) -> Points | None:
    """Return an LLL-reduced basis of a lattice: its vectors are short and nearly orthogonal.

    Args:
        basis: Basis of the lattice, as rows.

    Returns:
        The reduced basis, as rows. None if rounding errors keep the algorithm from ending within 20,000 steps.
    """
    rows = basis.astype(np.float64)
    k = 1
    for _ in range(MOST_SWAPS):
        if k == len(rows):
            return rows
        triangle = _triangle(rows[: k + 1])
        for j in reversed(range(k)):
            times = np.rint(triangle[j, k] / triangle[j, j])
            rows[k] -= times * rows[j]
            triangle[:, k] -= times * triangle[:, j]
        projected = triangle[k, k] ** 2 + triangle[k - 1, k] ** 2
        if projected >= LOVASZ * triangle[k - 1, k - 1] ** 2:
            k += 1
        else:
            rows[[k - 1, k]] = rows[[k, k - 1]]
            k = max(k - 1, 1)
    return None


def _triangle(rows: Points) -> Points:
    # the upper triangular factor R of the transpose
    return np.linalg.qr(rows.T)[1]
