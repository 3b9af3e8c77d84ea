"""Structure for codewords of a binary linear code.

A codeword is a vector of n bits. As a point, it has the entry +1/sqrt(n) for bit 1 and -1/sqrt(n) for bit 0. A binary
linear code consists of all sums modulo 2 (XOR) of the rows of its generator matrix. A message is an integer. Its
codeword is the sum of those rows j of the generator matrix for which bit j of the message is 1, where bit 0 is the
lowest bit. The weight of a codeword is its number of ones. The distance of two codewords is the weight of their sum,
which is a codeword too. Packed bits are stored eight to a byte, in rows of bytes: one row for each vector of bits.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protosphere.coding.linear import (
    CHUNK_WORDS,
    LARGEST_MESSAGE_BITS,
    encode,
    pair_distance_counts,
    smallest_weight,
)
from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.spherical.structures.sign_words import SignWords, held_words
from protosphere.spherical.structures.structure import Content, structure
from protosphere.types import Cosine, Indices, PackedBits, Progress

MOST_DIFFERENCE_BITS = 22
"""Number k of rows of the generator matrix up to which all 2^k differences of messages are enumerated.

For larger k, they are enumerated only if 2^k is at most four times the number of points.
"""


@structure("linear")
@dataclass(frozen=True, eq=False)
class LinearWords(SignWords):
    """Points that are codewords of a binary linear code.

    A message is an integer. Its codeword is the sum modulo 2 (XOR) of those rows j of the generator matrix for which
    bit j of the message is 1. Bit 0 is the lowest bit.

    Attributes:
        generator: Generator matrix, each row packed eight bits to a byte.
        messages: For each of the K points, the message of its codeword.
    """

    derived = ("signs",)
    is_nested = True
    sources = ("generator", "messages")

    generator: PackedBits
    messages: Indices

    @classmethod
    def of(cls, generator: PackedBits, dim: int, messages: Indices) -> LinearWords:
        """Return the structure whose points are the codewords of the given messages.

        A message is an integer. Its codeword is the sum modulo 2 (XOR) of those rows j of the generator matrix for
        which bit j of the message is 1. Bit 0 is the lowest bit.

        Args:
            generator: Generator matrix, each row packed eight bits to a byte.
            dim: Length n of the codewords.
            messages: For each of the K points, the message of its codeword.
        """
        held = held_words(len(messages), dim, lambda: encode(generator, messages))
        return LinearWords(dim, held, generator, messages)

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return the codewords of the given messages, one per row, packed eight bits to a byte.

        Args:
            numbers: Messages. A message is an integer. Its codeword is the sum modulo 2 (XOR) of those rows j of the
                generator matrix for which bit j of the message is 1.
        """
        return encode(self.generator, numbers)

    @property
    def by_differences(self) -> bool:
        """Whether the maximum cosine is computed from the weights of codewords instead of from all pairs of points.

        The difference of two messages is their XOR. The weight (number of ones) of its codeword is the distance of the
        codewords of the two messages. If the generator matrix has k rows, there are 2^k differences. The value is True
        if 2^k is at most four times the number K of points, or if 2^k is at most 2^22 (k is at most
        `MOST_DIFFERENCE_BITS`). Otherwise it is False.
        """
        return 1 << len(self.generator) <= max(
            1 << MOST_DIFFERENCE_BITS, 4 * self.count
        )

    @property
    def work(self) -> int:
        """Approximate number of multiplications that checking the points and computing their maximum cosine needs.

        - If `by_differences` is True, this is n 2^k, where k is the number of rows of the generator matrix. One
          codeword is computed for each of the 2^k messages.
        - If `by_differences` is False, this is n K^2 / 2, because all pairs of points are compared.
        """
        return self.dim << len(self.generator) if self.by_differences else super().work

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine as an exact Fraction, and a text that says how it was found.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if not self.by_differences:
            return super().largest_cosine(progress)
        method = "weights of all differences of a linear code"
        # if more than half of all messages are there, every nonzero message is the difference of two of them
        if 2 * self.count > 1 << len(self.generator) and not np.any(
            np.bincount(self.messages) > 1
        ):
            return 1 - Fraction(
                2 * smallest_weight(self.generator, self.dim), self.dim
            ), method
        return max(self.spectrum(progress)), method

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if not self.by_differences:
            return super().spectrum(progress)
        # the weight of the codeword of a difference (XOR) of two messages is the distance of their codewords
        counts = pair_distance_counts(self.generator, self.messages)
        return {
            1 - Fraction(2 * distance, self.dim): pairs
            for distance, pairs in counts.items()
        }

    def check(self) -> None:
        """Raise CertificateError if the stored codewords are not those that `generator` and `messages` determine.

        If `held` is None, no codewords are stored, and nothing is checked.
        """
        if self.held is None:
            return
        for start in range(0, self.count, CHUNK_WORDS):
            chunk = slice(start, start + CHUNK_WORDS)
            if not np.array_equal(self.encoded(self.messages[chunk]), self.held[chunk]):
                raise CertificateError(
                    "the words are not the ones their generator and messages give"
                )

    @classmethod
    def read(cls, content: Content) -> LinearWords:
        """Return the structure whose arrays are in a code file.

        The array "generator" has the rows of the generator matrix as packed bits, and "messages" has an integer for
        each point. The codeword of a point is the sum modulo 2 (XOR) of those rows j for which bit j of its message is
        1. The array "signs", if the file has it, has the codewords of the points.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array is missing or malformed, or if the generator matrix has more than 62 rows.
        """
        generator = content.packed("generator", None)
        if len(generator) > LARGEST_MESSAGE_BITS:
            raise InvalidArgumentError(
                f"'generator' should have at most 62 rows, has {len(generator)}"
            )
        messages = content.numbers("messages", 1 << len(generator))
        signs = content.packed_or("signs", lambda: encode(generator, messages))
        return LinearWords(content.dim, signs, generator, messages)
