"""Structure for codewords of a union of cosets of the Reed-Muller code RM(1, m).

A Walsh-Hadamard transform computes all inner products between the codewords of two cosets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np

from protosphere.coding import cosets
from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.spherical.structures.sign_words import SignWords, held_words
from protosphere.spherical.structures.structure import Content, structure
from protosphere.types import Cosine, Indices, PackedBits, Progress


@structure("cosets")
@dataclass(frozen=True, eq=False)
class CosetUnion(SignWords):
    """Codewords of a union of cosets of RM(1, m), the first-order Reed-Muller code of length n = 2^m.

    A coset has 2n codewords. The codeword with index 2nc + w is the sum of representative c and codeword w of RM(1, m).
    Codeword 2a of RM(1, m) is row a of Sylvester's Hadamard matrix, and codeword 2a + 1 is its complement.

    Attributes:
        representatives: One codeword of each coset, packed eight bits to a byte.
        numbers: Index in the union of each of the K codewords; point i is the codeword with the index numbers[i].
    """

    derived = ("signs",)
    is_nested = True
    sources = ("representatives", "numbers")

    representatives: PackedBits
    numbers: Indices

    @classmethod
    def of(cls, representatives: PackedBits, m: int, numbers: Indices) -> CosetUnion:
        """Return the structure of the codewords with the given indices in a union of cosets of RM(1, m).

        The codeword with index 2nc + w is the sum of representative c and codeword w of RM(1, m). Here n = 2^m is the
        length.

        Args:
            representatives: One codeword of each coset, packed eight bits to a byte.
            m: Base-2 logarithm of the length of the codewords.
            numbers: Index of each codeword in the union.
        """
        held = held_words(
            len(numbers),
            1 << m,
            lambda: cosets.coset_union_words(representatives, m, numbers),
        )
        return CosetUnion(1 << m, held, representatives, numbers)

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return codewords of the union of cosets, packed eight bits to a byte.

        Args:
            numbers: Index of each codeword in the union. The codeword with index 2nc + w is the sum of representative c
                and codeword w of RM(1, m), where n = 2^m is the length.
        """
        return cosets.coset_union_words(self.representatives, self.m, numbers)

    @property
    def m(self) -> int:
        """Base-2 logarithm of the length of the codewords."""
        return self.dim.bit_length() - 1

    @property
    def whole(self) -> bool:
        """Whether the points are the first K codewords of the union, in any order, and every coset contains a point.

        If so, all codewords of each coset are points, except possibly for the last coset.
        """
        used = -(-self.count >> (self.m + 1))
        return used == len(self.representatives) and np.array_equal(
            np.sort(self.numbers), np.arange(self.count)
        )

    @property
    def work(self) -> int:
        """Approximate number of multiplications that finding the maximum cosine takes.

        If the points are the first K codewords of the union of cosets, in any order, and every coset contains a point,
        all pairs of cosets are compared. Otherwise, all pairs of points are compared.
        """
        if self.whole:
            return len(self.representatives) ** 2 * self.dim << (self.m // 2 + 1)
        return super().work

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine and a text that says how it was found.

        If the points are the first K codewords of the union of cosets, in any order, and every coset contains a point,
        all pairs of cosets are compared. Otherwise, all pairs of points are compared.

        Args:
            progress: Function that is called with the name of the stage, the number of finished steps and the number of
                all steps.
        """
        if not self.whole:
            return super().largest_cosine(progress)
        product = cosets.largest_coset_product(
            self.representatives, self.m, self.count, progress
        )
        return Fraction(
            product, self.dim
        ), "all pairs of cosets of RM(1, m), in integers"

    def check(self) -> None:
        """Raise CertificateError if the stored codewords do not match `representatives` and `numbers`.

        These two attributes determine all codewords. If the codewords are not stored, because they need too much
        memory, nothing is checked.
        """
        if self.held is not None and not np.array_equal(
            self.encoded(self.numbers), self.held
        ):
            raise CertificateError(
                "the words are not the ones their cosets and numbers give"
            )

    def permuted(self, order: Indices) -> Self:
        """Return a structure with the points order[0], order[1], and so on.

        If the last cosets contain none of these points, they are removed from `representatives`.

        Args:
            order: Indices of points.
        """
        used = (int(self.numbers[order].max()) >> (self.m + 1)) + 1
        return replace(
            super().permuted(order), representatives=self.representatives[:used]
        )

    @classmethod
    def read(cls, content: Content) -> CosetUnion:
        """Return the structure of codewords that are read from a file.

        Args:
            content: Header and arrays of the file, with the number of points and the dimension.

        Raises:
            InvalidArgumentError: If the dimension n is not a power of two, or an index is too large for the number of
                cosets.
        """
        if content.dim < 2 or content.dim & (content.dim - 1):
            raise InvalidArgumentError(
                f"'dim' should be 2, 4, 8, ... for cosets of RM(1, m), is {content.dim}"
            )
        representatives = content.packed("representatives", None)
        numbers = content.numbers("numbers", 2 * content.dim * len(representatives))
        m = content.dim.bit_length() - 1
        signs = content.packed_or(
            "signs", lambda: cosets.coset_union_words(representatives, m, numbers)
        )
        return CosetUnion(content.dim, signs, representatives, numbers)
