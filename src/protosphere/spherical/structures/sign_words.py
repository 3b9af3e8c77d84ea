"""Structure for points whose entries are all +1/sqrt(n) or -1/sqrt(n), stored with one bit per entry.

The vectors of n bits are called codewords, even if they are not from a code. Packed codewords are the rows of a matrix
of bytes, with eight bits in a byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.linear import packed_length
from protosphere.geometry import gram
from protosphere.geometry.sphere import padded
from protosphere.spherical.structures.plain import Plain
from protosphere.spherical.structures.sign_rows import SignRows
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    LARGEST_HELD_BYTES,
    Content,
    structure,
)
from protosphere.types import Cosine, Indices, PackedBits, Points, Progress

if TYPE_CHECKING:
    from protosphere.spherical.structures.glued import GluedWords


@structure("signs")
@dataclass(frozen=True, eq=False)
class SignWords:
    """K codewords of n bits: bit 1 stands for +1/sqrt(n) and bit 0 for -1/sqrt(n).

    The codewords may be any vectors of n bits. Packed codewords are the rows of a matrix of bytes, with eight bits in a
    byte. The structures for codewords of certain codes (linear codes, unions of cosets, shortened codes) inherit from
    this class.

    Attributes:
        dim: Dimension n, the number of bits of a codeword.
        held: The packed codewords. None if they would need more than 1 GiB of memory (`LARGEST_HELD_BYTES`). Codewords
            are then computed when they are needed.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("hadamard",)
    derived = tuple[str, ...]()
    exact_reason = "the inner products are integers"
    separated_cosines = True
    points = None
    is_nested = False
    sources: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes of a subclass from which the codewords can be computed. The last attribute is an array
    with the index of each codeword in a code. The tuple is empty if the codewords are arbitrary vectors.
    """

    dim: int
    held: PackedBits | None

    @property
    def count(self) -> int:
        """Number K of points."""
        return len(self.word_numbers() if self.held is None else self.held)

    @property
    def packed_signs(self) -> PackedBits:
        """All codewords as rows of bytes, with eight bits in a byte.

        If `held` is None, they are computed on each access.
        """
        return self.packed_rows(0, self.count)

    def packed_rows(self, start: int, stop: int) -> PackedBits:
        """Return codewords `start` to `stop - 1` as rows of bytes, with eight bits in a byte.

        Args:
            start: Index of the first codeword.
            stop: One past the index of the last codeword.
        """
        if self.held is not None:
            return self.held[start:stop]
        return self.encoded(self.word_numbers()[start:stop])

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return the codewords with the given indices as rows of bytes, with eight bits in a byte.

        Args:
            numbers: In this class, indices of rows of `held`. In a subclass for codewords of a code, indices of
                codewords of the code.
        """
        assert self.held is not None, "words of no code are held"
        return self.held[numbers]

    @property
    def cosine_step(self) -> Fraction:
        """The Fraction 2/n. Codewords that differ in d positions have the cosine 1 - d * 2/n."""
        return Fraction(2, self.dim)

    @property
    def work(self) -> int:
        """Approximate number of multiplications that `verified_cosine` needs to compare all pairs: n K^2 / 2."""
        return self.count**2 * self.dim // 2

    def word_numbers(self) -> Indices:
        """Return an index for each of the K codewords.

        In a subclass for codewords of a code, it is the index of the codeword in the code. If the codewords are
        arbitrary vectors, the indices are 0, 1, ..., K - 1.
        """
        if self.sources:
            return getattr(self, self.sources[-1])
        assert self.held is not None, "words of no code are held"
        return np.arange(len(self.held))

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return the points of codewords `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first codeword.
            stop: One past the index of the last codeword.
        """
        words = self.packed_rows(start, stop)
        signs = gram.sign_rows(words, self.dim).slice(0, len(words))
        return signs.astype(np.float64) / np.sqrt(self.dim)

    def sign_rows(self) -> SignRows:
        """Return all points as a `SignRows` object, which stores them as packed signs and the number 1/sqrt(n).

        A `SignRows` object may also store further coordinates of each point, called its glue vector. Here the glue
        vectors are empty.
        """
        none = np.zeros((1, 0))
        first = np.zeros(self.count, dtype=np.int64)
        every = np.arange(self.count)
        height = sqrt(1 / self.dim)
        return SignRows(
            every, self.packed_signs, self.dim, height, self.word_numbers(), none, first
        )

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Compare all pairs, and return the maximum cosine and a text that says how it was found.

        Args:
            progress: Function that is called while pairs are compared.
        """
        largest = gram.largest_inner_product(
            gram.sign_rows(self.packed_signs, self.dim), progress
        )
        return Fraction(int(largest), self.dim), "all pairs, in integers"

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the stored arrays, and return the maximum cosine and a text that says how it was found.

        Args:
            progress: Function that is called while pairs are compared.

        Raises:
            CertificateError: If `check` finds that an array of a subclass is not valid. In this class itself, all
                packed bits are valid.
        """
        self.check()
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine to the number of pairs of points that have this cosine.

        All pairs are compared.

        Args:
            progress: Function that is called while pairs are compared.
        """
        products = gram.sign_inner_product_counts(self.packed_signs, self.dim, progress)
        return {
            Fraction(product, self.dim): pairs for product, pairs in products.items()
        }

    def check(self) -> None:
        """Do nothing, because any packed bits are valid codewords of this class."""

    def permuted(self, order: Indices) -> Self:
        """Return a structure with the codewords order[0], order[1], and so on.

        If a subclass stores the index of each codeword in a code, the indices are reordered in the same way.

        Args:
            order: Indices of codewords: all of them, or a part.
        """
        held = None if self.held is None else self.held[order]
        numbers = {name: getattr(self, name)[order] for name in self.sources[-1:]}
        return replace(self, held=held, **numbers)

    def padded(self, dim: int) -> Plain | GluedWords:
        """Return the same points in R^dim, with zeros appended.

        If there are at most 20,000 points, the result is a `Plain` structure with a float64 matrix. Otherwise, it is a
        `GluedWords` structure with packed codewords.

        Args:
            dim: Number of coordinates of the new points, at least the number n of bits.
        """
        from protosphere.spherical.structures.glued import EVERY_WORD, GluedWords

        if self.count > ALL_PAIRS_POINTS:
            return GluedWords(self, 1.0, np.zeros((1, dim - self.dim)), EVERY_WORD)
        return Plain(padded(self.unit_rows(0, self.count), dim), self.cosine_step)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return a dictionary with the array that determines the points: "signs", the packed codewords."""
        return {"signs": self.packed_signs}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that are stored in the file of a code with these codewords, by name.

        If `held` is not None, the packed codewords are stored under the name "signs". In a subclass for codewords of a
        code, the arrays from which they can be computed are also stored. The attribute `sources` has the names of these
        arrays.
        """
        held = {} if self.held is None else {"signs": self.held}
        return held | {name: getattr(self, name) for name in self.sources}

    def header(self) -> dict[str, Any]:
        """Return an empty dictionary: the header of the file of a code needs no entries for this structure."""
        return {}

    @classmethod
    def read(cls, content: Content) -> SignWords:
        """Return the structure whose packed codewords are in the file of a code.

        Args:
            content: Arrays of the file, with the number of codewords and their length n. The array "signs" has the
                packed codewords.
        """
        return SignWords(content.dim, content.packed("signs", content.count))


def held_words(
    count: int, dim: int, words: Callable[[], PackedBits]
) -> PackedBits | None:
    """Return the packed codewords that a function computes, or None if they would need more than 1 GiB of memory.

    In the second case, the function is not called.

    Args:
        count: Number of codewords.
        dim: Length n of a codeword.
        words: Function that computes the codewords as rows of bytes, with eight bits in a byte.

    Returns:
        The codewords, or None if they would need more than `LARGEST_HELD_BYTES` bytes.
    """
    few = count * packed_length(dim) <= LARGEST_HELD_BYTES
    return words() if few else None
