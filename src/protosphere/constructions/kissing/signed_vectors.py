"""Vectors of a few non-zero entries: any signs at given places."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product

import numpy as np

from protosphere.types import Indices, PackedBits, Points


def odd_signs(length: int) -> Points:
    """All vectors of +-1 with an odd number of minus signs, 2^(length-1) of them: they differ in two places or more."""
    return np.array([signs for signs in product((1.0, -1.0), repeat=length) if signs.count(-1.0) % 2])


def at_places(supports: Iterable[Sequence[int]], signs: Points, dim: int) -> Points:
    """For each support the rows of `signs` at its places, and zeros."""
    blocks: list[Points] = []
    for places in supports:
        block = np.zeros((len(signs), dim))
        block[:, list(places)] = signs
        blocks.append(block)
    return np.concatenate(blocks)


def supports_of(words: Indices | PackedBits) -> list[tuple[int, ...]]:
    """The places of the ones in each row."""
    return [tuple(np.flatnonzero(word).tolist()) for word in words]


def signs_of(words: Indices | PackedBits) -> Points:
    """1 for zeros, -1 for ones."""
    return np.where(words, -1.0, 1.0)


def signed_pairs(dim: int) -> Points:
    """+-1 in any two places: 2 n (n-1) vectors.

    >>> len(signed_pairs(4))
    24
    """
    return at_places(combinations(range(dim), 2), np.array(list(product((1.0, -1.0), repeat=2))), dim)
