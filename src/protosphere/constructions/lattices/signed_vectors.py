"""Functions that make vectors with given signs at some coordinates and zeros at the others."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, PackedBits, Points

Numbers = TypeVar("Numbers", bound=NDArray[Any])


def all_signs(length: int) -> Points:
    """Return all 2^length vectors of `length` entries that are +1 or -1, as rows.

    All entries of the first row are +1. The last entry changes fastest from row to row.
    """
    return np.array(list(product((1.0, -1.0), repeat=length)))


def signs_of_parity(length: int, parity: int) -> Points:
    """Return all vectors with entries +1 or -1 and with an even or an odd number of minus signs, as rows.

    Any two of these vectors differ in at least two coordinates.

    Args:
        length: Number of coordinates.
        parity: 0 for an even number of minus signs, 1 for an odd number.
    """
    signs = all_signs(length)
    return signs[(signs < 0).sum(axis=1) % 2 == parity]


def at_places(supports: Iterable[Sequence[int]], signs: Numbers, dim: int) -> Numbers:
    """Return vectors with given entries at given sets of coordinates, and zeros elsewhere.

    Args:
        supports: Sets of coordinates, each given as a sequence of s indices.
        signs: Matrix with s columns. Entry j of a row is the entry of a vector at the j-th coordinate of its set.
        dim: Number n of coordinates of the result.

    Returns:
        Matrix with n columns and one row for each set and each row of `signs`: first all rows of `signs` at the first
        set, then all rows of `signs` at the second set, and so on.
    """
    places = np.array(list(supports))
    found = np.zeros((len(places), len(signs), dim), dtype=signs.dtype)
    np.put_along_axis(found, places[:, None], signs, axis=2)
    return cast("Numbers", found.reshape(-1, dim))


def at_ones(words: NDArray[Any], signs: Numbers) -> Numbers:
    """Return vectors with given entries at the ones of each codeword, and zeros elsewhere.

    Args:
        words: 0/1 codewords with s ones each, as rows.
        signs: Matrix with s columns. Entry j of a row is the entry of a vector at the j-th one of its codeword.

    Returns:
        Matrix with the columns of `words` and one row for each codeword and each row of `signs`: first all rows of
        `signs` at the ones of the first codeword, then all rows of `signs` at the ones of the second codeword, and so
        on.
    """
    return at_places(
        (np.flatnonzero(word).tolist() for word in words), signs, words.shape[1]
    )


def signs_of(words: Indices | PackedBits) -> Points:
    """Return a matrix with the entry 1 for each bit 0 of the codewords, and -1 for each bit 1.

    Args:
        words: 0/1 codewords, one bit per entry, as rows.
    """
    return np.where(words, -1.0, 1.0)


def signed_pairs(dim: int) -> Points:
    """Return all 2 n (n-1) vectors with entries +1 or -1 at two of n = `dim` coordinates, and zeros elsewhere, as rows.

    >>> len(signed_pairs(4))
    24
    """
    return at_places(combinations(range(dim), 2), all_signs(2), dim)
