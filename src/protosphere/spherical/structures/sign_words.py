"""Structure for points whose entries are all +1/sqrt(n) or -1/sqrt(n), stored with one bit per entry.

A codeword is a vector of n bits, whether it is from a binary code or not. As a point, it has the entry +1/sqrt(n) for
bit 1 and -1/sqrt(n) for bit 0. Packed codewords are rows of bytes: one row for each codeword, eight bits in a byte.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
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
    """Points stored as codewords of n bits: bit 1 stands for the entry +1/sqrt(n), and bit 0 for -1/sqrt(n).

    In this class itself, the codewords may be any vectors of n bits. In its subclasses, they are codewords of a linear
    code, of a union of cosets or of a shortened code. Packed codewords are rows of bytes, with eight bits in a byte.

    Attributes:
        dim: Dimension n, the number of bits of a codeword.
        held: The packed codewords. None in a subclass if they would need more than 1 GiB of memory
            (`LARGEST_HELD_BYTES`). They are then computed whenever they are needed.
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
        """All codewords as rows of bytes, one row per point, with eight bits in a byte.

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
            numbers: In this class itself, indices of rows of `held`. In a subclass, indices of codewords in the binary
                code from which the points are taken.
        """
        assert self.held is not None, "words of no code are held"
        return self.held[numbers]

    @property
    def cosine_step(self) -> Fraction:
        """Cosine step 2/n. Codewords that differ in d positions have the cosine 1 - 2d/n."""
        return Fraction(2, self.dim)

    @property
    def work(self) -> int:
        """Approximate number of multiplications that `verified_cosine` needs to compare all pairs: n K^2 / 2."""
        return self.count**2 * self.dim // 2

    def word_numbers(self) -> Indices:
        """Return an index for each of the K codewords.

        In this class itself, the indices are 0, 1, ..., K - 1. In a subclass, they are the indices of the codewords in
        the binary code from which the points are taken.
        """
        if self.sources:
            return getattr(self, self.sources[-1])
        assert self.held is not None, "words of no code are held"
        return np.arange(len(self.held))

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        words = self.packed_rows(start, stop)
        signs = gram.sign_rows(words, self.dim).slice(0, len(words))
        return signs.astype(np.float64) / np.sqrt(self.dim)

    def sign_rows(self) -> SignRows:
        """Return all points as a `SignRows` object, which stores them as packed signs and the number 1/sqrt(n).

        In a `SignRows` object, a point may have further coordinates, called its glue vector. Here the glue vectors are
        empty.
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
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        largest = gram.largest_inner_product(
            gram.sign_rows(self.packed_signs, self.dim), progress
        )
        return Fraction(int(largest), self.dim), "all pairs, in integers"

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the stored arrays, and return the maximum cosine and a text that says how it was found.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: In a subclass, if the stored codewords are not those that the other stored arrays
                determine. In this class itself, the error is never raised.
        """
        self.check()
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order. All pairs are compared.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        products = gram.sign_inner_product_counts(self.packed_signs, self.dim, progress)
        return {
            Fraction(product, self.dim): pairs for product, pairs in products.items()
        }

    def check(self) -> None:
        """Do nothing, because in this class itself all bits are valid."""

    def permuted(self, order: Indices) -> Self:
        """Return a structure whose point i is point order[i] of this structure.

        In a subclass, the indices of the codewords in a binary code are reordered in the same way.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        held = None if self.held is None else self.held[order]
        numbers = {name: getattr(self, name)[order] for name in self.sources[-1:]}
        return replace(self, held=held, **numbers)

    def padded(self, dim: int) -> Plain | GluedWords:
        """Return the same points with zeros appended.

        - If there are at most 20,000 points, the result is a float64 matrix (`Plain`).
        - Otherwise, it is a `GluedWords` structure, which stores the codewords as bits.

        Args:
            dim: Number of coordinates of the new points, at least the number n of bits.
        """
        from protosphere.spherical.structures.glued import EVERY_WORD, GluedWords

        if self.count > ALL_PAIRS_POINTS:
            return GluedWords(self, 1.0, np.zeros((1, dim - self.dim)), EVERY_WORD)
        return Plain(padded(self.unit_rows(0, self.count), dim), self.cosine_step)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the array that determines the points, by name: the packed codewords with the name "signs"."""
        return {"signs": self.packed_signs}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores, by name.

        - "signs" has the packed codewords. If `held` is None, there is no such array.
        - In a subclass, there are also the arrays from which the codewords can be computed. The attribute `sources` has
          their names.
        """
        held = {} if self.held is None else {"signs": self.held}
        return held | {name: getattr(self, name) for name in self.sources}

    def header(self) -> dict[str, Any]:
        """Return an empty dictionary, because the header of a code file needs no entries for these points."""
        return {}

    @classmethod
    def read(cls, content: Content) -> SignWords:
        """Return the structure whose packed codewords are stored in a code file, as the array "signs".

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If the array is missing or malformed.
        """
        return SignWords(content.dim, content.packed("signs", content.count))


def held_words(
    count: int, dim: int, words: Callable[[], PackedBits]
) -> PackedBits | None:
    """Return the packed codewords that a function computes, or None if they would need more than 1 GiB of memory.

    The limit is `LARGEST_HELD_BYTES`. If the result is None, the function is not called.

    Args:
        count: Number of codewords.
        dim: Length n of a codeword.
        words: Function that computes the codewords as rows of bytes, with eight bits in a byte.
    """
    few = count * packed_length(dim) <= LARGEST_HELD_BYTES
    return words() if few else None
