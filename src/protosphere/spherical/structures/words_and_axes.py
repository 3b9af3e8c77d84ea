"""Structure for points of two kinds: codewords and axes, each followed by zeros.

A codeword is a vector of N bits. As a point, it has the entry +1/sqrt(N) for bit 1 and -1/sqrt(N) for bit 0. An axis is
e_j or -e_j, where e_0, ..., e_(N-1) are the vectors of the standard basis of R^N.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.linear import unpack
from protosphere.errors import InvalidArgumentError, as_integer, as_text
from protosphere.spherical.structures.plain import Plain
from protosphere.spherical.structures.sign_rows import SignRows
from protosphere.spherical.structures.sign_words import SignWords
from protosphere.spherical.structures.structure import (
    Content,
    read_structure,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress, UpperBound

WORD = 0
"""Entry of `axes` that stands for a codeword. The entry 1 + 2i stands for e_i, and 2 + 2i for -e_i."""

COUNTED_WORDS = 1 << 16
"""Number of codewords that are unpacked at a time when the positive signs of each column are counted."""


@structure("words_and_axes")
@dataclass(frozen=True, eq=False)
class WordsAndAxes:
    """Points that are codewords of N bits or axes of R^N, each followed by zeros.

    A codeword has entries +-1/sqrt(N). An axis is e_j or -e_j, a vector of the standard basis of R^N or its negative. N
    is the square of an even number, so the cosine of a codeword and an axis, +-1/sqrt(N), is rational.

    Attributes:
        codewords: Structure whose points are the codewords, in the order in which they occur among the K points.
        axes: Array of K integers. Entry i is 0 (`WORD`) if point i is a codeword, 2j + 1 if it is the axis e_j, and 2j
            + 2 if it is the axis -e_j.
        zeros: Number of zeros that follow the N entries of each point.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("hadamard",)
    points = None
    packed_signs = None
    is_nested = True
    separated_cosines = True
    exact_reason = "the inner products are integers over sqrt(n), and n is a square"

    codewords: SignWords
    axes: Indices
    zeros: int = 0

    @property
    def derived(self) -> tuple[str, ...]:
        """Names of those arrays of the codewords that can be computed from their other arrays.

        The saved state of a head may omit these arrays.
        """
        return self.codewords.derived

    @property
    def count(self) -> int:
        """Number K of points."""
        return len(self.axes)

    @property
    def dim(self) -> int:
        """Dimension n: the length N of the codewords plus the number of zeros."""
        return self.codewords.dim + self.zeros

    @property
    def cosine_step(self) -> Fraction:
        """Cosine step 2/N: every cosine of two points is 1 - 2j/N with an integer j."""
        return self.codewords.cosine_step

    @property
    def work(self) -> int:
        """Approximate number of multiplications that `verified_cosine` needs."""
        return self.codewords.work + self.count * self.codewords.dim

    @property
    def axis_numbers(self) -> Indices:
        """One integer for each point that is an axis, in the order of the points.

        The integer is 2j for the axis e_j, and 2j + 1 for -e_j.
        """
        return self.axes[self.axes != WORD] - 1

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        axes = self.axes[start:stop]
        first_word = int(np.count_nonzero(self.axes[:start] == WORD))
        is_word = axes == WORD
        num_words = int(np.count_nonzero(is_word))
        rows = np.zeros((len(axes), self.dim))
        words = self.codewords.unit_rows(first_word, first_word + num_words)
        rows[is_word, : self.codewords.dim] = words
        numbers = axes[~is_word] - 1
        rows[np.flatnonzero(~is_word), numbers // 2] = 1.0 - 2 * (numbers % 2)
        return rows

    def sign_rows(self) -> SignRows:
        """Return those points that are codewords as a `SignRows` object, which stores their signs as bits.

        In a `SignRows` object, a point may have further coordinates, called its glue vector. Here they are the zeros
        after the N entries of a codeword.
        """
        rows = self.codewords.sign_rows()
        classes = np.flatnonzero(self.axes == WORD)
        return replace(rows, classes=classes, glue_vectors=np.zeros((1, self.zeros)))

    def _num_positive_in_columns(self) -> Indices:
        sums = np.zeros(self.codewords.dim, dtype=np.int64)
        for start in range(0, self.codewords.count, COUNTED_WORDS):
            packed = self.codewords.packed_rows(start, start + COUNTED_WORDS)
            sums += unpack(packed, self.codewords.dim).sum(axis=0, dtype=np.int64)
        return sums

    def _positive_products(self) -> int:
        positive = self._num_positive_in_columns()
        numbers = self.axis_numbers
        of_axis = positive[numbers // 2]
        return int(np.where(numbers % 2, self.codewords.count - of_axis, of_axis).sum())

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the largest cosine of two points or an upper bound on it, and a text that says how it was found.

        An upper bound has the type `UpperBound`. It is returned if only an upper bound on the cosines of two codewords
        is known, and this bound is larger than all cosines of pairs with an axis.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        height = Fraction(1, isqrt(self.codewords.dim))
        largest = max(self._axis_spectrum(), default=Fraction(-1))
        if len(self.axis_numbers):
            has_positive = self._positive_products() > 0
            largest = max(largest, height if has_positive else -height)
        if self.codewords.count == 1:
            return largest, "words and axes, in integers"
        of_words, method = self.codewords.largest_cosine(progress)
        method += ", and every word with every axis"
        if isinstance(of_words, UpperBound) and of_words > largest:
            return of_words, method
        return max(largest, Fraction(of_words)), method

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the codewords. Return the largest cosine (or an upper bound) and a text that says how it was found.

        An upper bound has the type `UpperBound`. It is returned if the largest cosine is not known.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: If the stored codewords are not those that the other stored arrays determine.
        """
        self.check()
        return self.largest_cosine(progress)

    def _axis_spectrum(self) -> dict[Fraction, int]:
        # the cosine is 1 for the same axis, -1 for e_j and -e_j, and 0 otherwise; cosines without pairs are left out
        numbers = self.axis_numbers
        counts = np.bincount(numbers, minlength=2 * self.codewords.dim)
        equal = int((counts * (counts - 1) // 2).sum())
        opposite = int((counts[::2] * counts[1::2]).sum())
        pairs = len(numbers) * (len(numbers) - 1) // 2
        found = {
            Fraction(1): equal,
            Fraction(-1): opposite,
            Fraction(0): pairs - equal - opposite,
        }
        return {cosine: number for cosine, number in found.items() if number}

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        found = Counter(self.codewords.spectrum(progress))
        found.update(self._axis_spectrum())
        height = Fraction(1, isqrt(self.codewords.dim))
        positive = self._positive_products()
        mixed = self.codewords.count * len(self.axis_numbers)
        found.update({height: positive, -height: mixed - positive})
        return {cosine: number for cosine, number in found.items() if number}

    def check(self) -> None:
        """Raise CertificateError if the stored codewords are not those that the other stored arrays determine."""
        self.codewords.check()

    def permuted(self, order: Indices) -> WordsAndAxes | Plain:
        """Return a structure whose point i is point order[i] of this structure.

        If all points of the result are axes, it is a float64 matrix (`Plain`).

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        axes = self.axes[order]
        place_of_word = np.cumsum(self.axes == WORD) - 1
        words = place_of_word[order[axes == WORD]]
        if len(words):
            return replace(self, codewords=self.codewords.permuted(words), axes=axes)
        rows = np.zeros((len(axes), self.dim))
        rows[np.arange(len(axes)), (axes - 1) // 2] = 1.0 - 2 * ((axes - 1) % 2)
        return Plain(rows, self.cosine_step)

    def padded(self, dim: int) -> WordsAndAxes:
        """Return the same points with zeros appended.

        Args:
            dim: Number of coordinates of the new points, at least the present number.
        """
        return replace(self, zeros=dim - self.codewords.dim)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        - The arrays that determine the codewords.
        - "axes": for each point, 0 for a codeword, 2j + 1 for the axis e_j, and 2j + 2 for -e_j.
        - "zeros": one number, which is how many zeros follow the N entries of each point.
        """
        zeros = np.array([self.zeros], dtype=np.int64)
        return self.codewords.point_arrays() | {"axes": self.axes, "zeros": zeros}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores, by name.

        - The arrays of the codewords.
        - "axes": for each point, 0 for a codeword, 2j + 1 for the axis e_j, and 2j + 2 for -e_j.
        """
        return self.codewords.arrays() | {"axes": self.axes}

    def header(self) -> dict[str, Any]:
        """Return the header entries that a code file stores for these points, by name.

        - The header entries of the structure that stores the codewords.
        - "codewords": the name of this structure, such as "linear".
        - "zeros": how many zeros follow the N entries of each point.
        """
        own = {"codewords": self.codewords.name, "zeros": self.zeros}
        return self.codewords.header() | own

    @classmethod
    def read(cls, content: Content) -> WordsAndAxes:
        """Return the points that are stored in a code file.

        The file has the arrays of the codewords, and the array "axes" with an integer for each point: 0 for a codeword,
        2j + 1 for the axis e_j, and 2j + 2 for -e_j. In its header, "codewords" is the name of the structure of the
        codewords, and "zeros" is the number of zeros that follow the N entries of each point.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array or an entry of the header is missing, or does not fit this structure.
        """
        zeros = as_integer("zeros", content.header.get("zeros"), minimum=0)
        length = content.dim - zeros
        root = isqrt(max(0, length))
        if length < 4 or root * root != length or root % 2:
            raise InvalidArgumentError(
                f"words with axes should have a length of 4, 16, 36, ..., is {length}"
            )
        axes = content.numbers("axes", 2 * length + 1)
        num_words = int(np.count_nonzero(axes == WORD))
        if num_words == 0:
            raise InvalidArgumentError("'axes' should leave some points to words")
        of_words = replace(content, count=num_words, dim=length)
        name = as_text("codewords", content.header.get("codewords"))
        codewords = read_structure(name, of_words)
        if not isinstance(codewords, SignWords):
            raise InvalidArgumentError(
                f"'codewords' should be words of signs, is '{name}'"
            )
        return cls(codewords, axes, zeros)


def with_axes(codewords: SignWords, num_axes: int) -> WordsAndAxes:
    """Return points of two kinds: first the given codewords, then axes.

    The axes are the first `num_axes` of e_0, -e_0, e_1, -e_1, ...

    Args:
        codewords: Codewords of N bits, where N is the square of an even number.
        num_axes: Number of axes, at most 2N.
    """
    words = np.full(codewords.count, WORD, dtype=np.int64)
    axes = np.arange(1, num_axes + 1, dtype=np.int64)
    return WordsAndAxes(codewords, np.concatenate([words, axes]))
