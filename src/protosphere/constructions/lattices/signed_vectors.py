"""Functions that make vectors with signs at some coordinates and zeros at the others."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, PackedBits, Points

Numbers = TypeVar("Numbers", bound=NDArray[Any])


def all_signs(length: int) -> Points:
    """Return the 2^length vectors of +-1; the last sign changes fastest."""
    return np.array(list(product((1.0, -1.0), repeat=length)))


def signs_of_parity(length: int, parity: int) -> Points:
    """Return the vectors of +-1 with an even (parity 0) or odd (parity 1) number of minus signs.

    Any two of these vectors differ in at least two coordinates.

    Args:
        length: Number of coordinates.
        parity: 0 or 1.
    """
    signs = all_signs(length)
    return signs[(signs < 0).sum(axis=1) % 2 == parity]


def at_places(supports: Iterable[Sequence[int]], signs: Numbers, dim: int) -> Numbers:
    """Return, for each given set of coordinates, the vectors with a row of `signs` on this set and zeros elsewhere.

    Args:
        supports: Sets of coordinates, all of the same size s.
        signs: Matrix with s columns. Each row gives one vector for each set.
        dim: Number of coordinates n of the vectors.
    """
    places = np.array(list(supports))
    found = np.zeros((len(places), len(signs), dim), dtype=signs.dtype)
    np.put_along_axis(found, places[:, None], signs, axis=2)
    return cast("Numbers", found.reshape(-1, dim))


def at_ones(words: NDArray[Any], signs: Numbers) -> Numbers:
    """Return, for each codeword, the vectors with a row of `signs` at the ones of the codeword and zeros elsewhere.

    Args:
        words: 0/1 codewords with s ones each, as rows.
        signs: Matrix with s columns. Each row gives one vector for each codeword.
    """
    return at_places(
        (np.flatnonzero(word).tolist() for word in words), signs, words.shape[1]
    )


def signs_of(words: Indices | PackedBits) -> Points:
    """Return 0/1 codewords as vectors of +-1: 1 for the bit 0 and -1 for the bit 1."""
    return np.where(words, -1.0, 1.0)


def signed_pairs(dim: int) -> Points:
    """Return all vectors with +-1 at two coordinates and zeros elsewhere: 2 n (n-1) vectors.

    >>> len(signed_pairs(4))
    24
    """
    return at_places(combinations(range(dim), 2), all_signs(2), dim)
