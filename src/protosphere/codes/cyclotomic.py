"""Cyclotomic cosets {i, 2i, 4i, ...} modulo 2^m - 1 and the minimal polynomials of alpha^i over GF(2).

MacWilliams & Sloane, chapter 4, section 3, and chapter 7, section 5.
"""

from functools import lru_cache

import numpy as np

from protosphere.codes.fields import binary_field
from protosphere.types import Indices


@lru_cache
def coset_leaders(m: int) -> tuple[Indices, Indices]:
    """The least element of every coset modulo 2^m - 1, ascending from 0, and the sizes of the cosets.

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
    leaders.flags.writeable = sizes.flags.writeable = False  # the cache hands them to everyone
    return leaders, sizes


def minimal_polynomials(m: int, leaders: Indices) -> list[int]:
    """The minimal polynomial of alpha^i for every coset leader i given, in the same order."""
    all_leaders, all_sizes = coset_leaders(m)
    sizes = all_sizes[np.searchsorted(all_leaders, leaders)]
    polynomials = np.zeros(len(leaders), dtype=np.int64)
    for size in np.unique(sizes).tolist():
        polynomials[sizes == size] = _products_of_conjugates(m, leaders[sizes == size], size)
    return polynomials.tolist()


def _products_of_conjugates(m: int, leaders: Indices, size: int) -> Indices:
    """prod_{j < size} (x - alpha^(i 2^j)) as integers, for all leaders i at once; the coefficients are 0 or 1."""
    field = binary_field(m)
    coefficients = np.zeros((len(leaders), size + 1), dtype=np.int64)
    coefficients[:, 0] = 1
    for j in range(size):
        roots = field.exp[(leaders << j) % field.order]
        scaled = field.multiply(coefficients, roots[:, None])
        coefficients[:, 1:] = coefficients[:, :-1]
        coefficients[:, 0] = 0
        coefficients ^= scaled
    return coefficients @ (1 << np.arange(size + 1))
