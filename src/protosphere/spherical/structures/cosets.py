"""Structure for codewords of a union of cosets of the Reed-Muller code RM(1, m).

RM(1, m) is the first-order Reed-Muller code: 2n codewords of n = 2^m bits. A coset consists of the 2n sums modulo 2
(XOR) of one fixed vector of n bits, called the representative of the coset, and a codeword of RM(1, m). A codeword of
the union has the index 2nc + w if it is the sum of representative c and codeword w of RM(1, m), with c = 0, 1, ... and
w = 0, 1, ..., 2n - 1. Codeword 2a of RM(1, m) is row a of Sylvester's Hadamard matrix, where bit 1 stands for the entry
+1 and bit 0 for -1, and codeword 2a + 1 is its complement (all bits are inverted). As a point, a codeword has the entry
+1/sqrt(n) for bit 1 and -1/sqrt(n) for bit 0. A Walsh-Hadamard transform computes all inner products between the
codewords of two cosets. Packed bits are stored eight to a byte, in rows of bytes: one row for each vector of bits.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
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
    """Points that are codewords of a union of cosets of RM(1, m), the Reed-Muller code of 2n codewords of n = 2^m bits.

    The codeword with the index 2nc + w in the union is the sum modulo 2 (XOR) of representative c and codeword w of
    RM(1, m). Codeword 2a of RM(1, m) is row a of Sylvester's Hadamard matrix, and codeword 2a + 1 is its complement.

    Attributes:
        representatives: One codeword of each coset, as rows of packed bits (eight bits to a byte).
        numbers: For each of the K points, the index of its codeword in the union.
    """

    derived = ("signs",)
    is_nested = True
    sources = ("representatives", "numbers")

    representatives: PackedBits
    numbers: Indices

    @classmethod
    def of(cls, representatives: PackedBits, m: int, numbers: Indices) -> CosetUnion:
        """Return the structure whose points are the codewords with the given indices in a union of cosets of RM(1, m).

        The codeword with the index 2nc + w in the union is the sum modulo 2 (XOR) of representative c and codeword w of
        RM(1, m). Here n = 2^m is the length of the codewords.

        Args:
            representatives: One codeword of each coset, as rows of packed bits (eight bits to a byte).
            m: Base-2 logarithm of the length of the codewords.
            numbers: For each of the K points, the index of its codeword in the union.
        """
        held = held_words(
            len(numbers),
            1 << m,
            lambda: cosets.coset_union_words(representatives, m, numbers),
        )
        return CosetUnion(1 << m, held, representatives, numbers)

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return the codewords with the given indices in the union, one per row, packed eight bits to a byte.

        Args:
            numbers: Indices in the union. The codeword with the index 2nc + w is the sum modulo 2 (XOR) of
                representative c and codeword w of RM(1, m), where n = 2^m is the length of the codewords.
        """
        return cosets.coset_union_words(self.representatives, self.m, numbers)

    @property
    def m(self) -> int:
        """Base-2 logarithm of the length of the codewords."""
        return self.dim.bit_length() - 1

    @property
    def whole(self) -> bool:
        """Whether all codewords of all cosets are points, except possibly for the last codewords of the last coset.

        In other words: the points are the first K codewords of the union, in any order, and every coset contains a
        point. Otherwise, the value is False.
        """
        used = -(-self.count >> (self.m + 1))
        return used == len(self.representatives) and np.array_equal(
            np.sort(self.numbers), np.arange(self.count)
        )

    @property
    def work(self) -> int:
        """Approximate number of multiplications that computing the maximum cosine takes.

        - If `whole` is True, all pairs of cosets are compared.
        - If `whole` is False, all pairs of points are compared.
        """
        if self.whole:
            return len(self.representatives) ** 2 * self.dim << (self.m // 2 + 1)
        return super().work

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine, which is exact, and a text that says how it was computed.

        - If `whole` is True (all codewords of all cosets are points, except possibly some of the last coset), all pairs
          of cosets are compared.
        - If `whole` is False, all pairs of points are compared.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
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
        """Raise CertificateError if the stored codewords are not those that `representatives` and `numbers` determine.

        If `held` is None, no codewords are stored, and nothing is checked.
        """
        if self.held is not None and not np.array_equal(
            self.encoded(self.numbers), self.held
        ):
            raise CertificateError(
                "the words are not the ones their cosets and numbers give"
            )

    def permuted(self, order: Indices) -> Self:
        """Return a structure whose point i is point order[i] of this structure.

        The last representatives are removed if no point of the result is in their cosets.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        used = (int(self.numbers[order].max()) >> (self.m + 1)) + 1
        return replace(
            super().permuted(order), representatives=self.representatives[:used]
        )

    @classmethod
    def read(cls, content: Content) -> CosetUnion:
        """Return the structure whose arrays are in a code file.

        The array "representatives" has one codeword of each coset as packed bits, and "numbers" has the index of each
        point's codeword in the union of the cosets. The array "signs", if the file has it, has the codewords of the
        points.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If n is not one of 2, 4, 8, ..., if an array is missing or malformed, or if an index
                is not below the number of all codewords of the cosets.
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
