"""Enumeration of all vectors of a lattice within a given distance of a center, in blocks.

This is the algorithm of Fincke & Pohst (1985). The coefficients of the vectors are enumerated from the last to the
first. A partial vector has only the last few coefficients. Each step adds one coefficient to many partial vectors. Then
each partial vector is projected to the orthogonal complement of the basis vectors whose coefficients are still missing.
A partial vector is dropped if its projection is too far from the projection of the center.

A block is a set of vectors that are found together.

The order of the vectors is the same on every machine: they are sorted by the last coefficient, then by the second to
last, and so on.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import sqrt

import numpy as np

from protosphere.types import Indices, Points

BLOCK_ROWS = 1 << 14
"""Number of partial vectors that are processed together; they fit into the cache of the CPU."""

SLACK = 1e-9
"""Relative increase of the squared distance, so that vectors at exactly this distance are found despite rounding."""


def cholesky_factor(gram: Indices) -> Points:
    """Return the Cholesky factor of a Gram matrix: the lower triangular matrix whose rows have this Gram matrix.

    The order of the operations is fixed, so that the result has the same bits on every machine.

    Args:
        gram: Symmetric positive definite matrix of integers.

    >>> cholesky_factor(np.array([[4, 2], [2, 10]])).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    factor = np.zeros(gram.shape)
    for i, row in enumerate(gram.tolist()):
        for j in range(i + 1):
            rest = row[j] - sum(factor[i, k] * factor[j, k] for k in range(j))
            if i == j:
                factor[i, j] = sqrt(rest)
            else:
                factor[i, j] = rest / factor[j, j]
    return factor


def close_vectors(
    factor: Points, center: Points, squared_distance: float
) -> Iterator[tuple[Points, Points]]:
    """Enumerate the lattice vectors within a distance of a center.

    Args:
        factor: Lower triangular matrix whose rows are a basis of the lattice.
        center: Coefficients of the center in this basis. They need not be integers.
        squared_distance: Largest squared distance from the center.

    Yields:
        Two arrays for each block of lattice vectors. Each row of the first array belongs to a lattice vector: its
        integer coefficients in the basis, minus `center`. The entries of the second array are the squared distances of
        these vectors from the center.

    >>> [(y.tolist(), d.tolist()) for y, d in close_vectors(np.eye(2), np.array([0.5, 0.0]), 0.25)]
    [([[-0.5, 0.0], [0.5, 0.0]], [0.25, 0.25])]
    """
    heights = np.diag(factor) ** 2
    slopes = factor / np.diag(factor)
    waiting = [(len(factor) - 1, np.zeros((1, 0)), np.zeros(1))]
    while waiting:
        level, partial, lengths = waiting.pop()
        middle = -(partial @ slopes[level + 1 :, level])
        left = np.maximum(0.0, squared_distance * (1 + SLACK) - lengths)
        reach = np.sqrt(left / heights[level])
        lowest = np.ceil(middle - reach + center[level])
        highest = np.floor(middle + reach + center[level])
        counts = np.maximum(0, highest - lowest + 1).astype(np.int64)
        which = np.repeat(np.arange(len(partial)), counts)
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        steps = np.arange(len(which)) - firsts
        entry = lowest[which] + steps - center[level]
        lengths = lengths[which] + heights[level] * (entry - middle[which]) ** 2
        found = np.column_stack([entry, partial[which]])
        if level == 0:
            yield found, lengths
            continue
        num_blocks = -(-len(found) // BLOCK_ROWS)
        edges = np.linspace(0, len(found), num_blocks + 1).astype(np.int64)
        for start, stop in reversed([*pairwise(edges.tolist())]):
            waiting.append((level - 1, found[start:stop], lengths[start:stop]))
