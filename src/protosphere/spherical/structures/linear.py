"""Structure for codewords of a binary linear code.

Points are codewords whose bits stand for the signs of entries +-1/sqrt(n). The distance of two codewords is the weight
(number of ones) of their sum, which is a codeword too.
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
    """Codewords of a binary linear code.

    A message is an integer. Its codeword is the sum (XOR) of the rows j of the generator matrix for which bit j of the
    message is 1, where bit 0 is the lowest bit. The difference of two messages is their XOR.

    Attributes:
        generator: Rows of the generator matrix, packed eight bits to a byte.
        messages: One message for each of the K points.
    """

    derived = ("signs",)
    is_nested = True
    sources = ("generator", "messages")

    generator: PackedBits
    messages: Indices

    @classmethod
    def of(cls, generator: PackedBits, dim: int, messages: Indices) -> LinearWords:
        """Return the structure of the codewords of the given messages.

        A message is an integer. Its codeword is the sum (XOR) of the rows j of the generator matrix for which bit j of
        the message is 1.

        Args:
            generator: Rows of the generator matrix, packed eight bits to a byte.
            dim: Length n of the codewords.
            messages: One message per codeword.
        """
        held = held_words(len(messages), dim, lambda: encode(generator, messages))
        return LinearWords(dim, held, generator, messages)

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return the packed codewords of the given messages.

        Args:
            numbers: Messages. A message is an integer whose codeword is the sum (XOR) of the rows j of the generator
                matrix for which bit j of the integer is 1.
        """
        return encode(self.generator, numbers)

    @property
    def by_differences(self) -> bool:
        """Whether cosines are computed from differences of messages instead of from all pairs of codewords.

        A message is an integer of k bits, where k is the number of rows of the generator matrix. The difference of two
        messages is their XOR. The number of ones of its codeword is the distance of the codewords of the two messages.
        The result is True if the number 2^k of differences is at most four times the number K of points, or at most
        2^22 (`MOST_DIFFERENCE_BITS`).
        """
        return 1 << len(self.generator) <= max(
            1 << MOST_DIFFERENCE_BITS, 4 * self.count
        )

    @property
    def work(self) -> int:
        """Approximate number of multiplications that checking the points and computing their maximum cosine needs.

        If `by_differences` is True, this is n 2^k, where k is the number of rows of the generator matrix, because one
        codeword is computed for each of the 2^k messages. Otherwise, all pairs of codewords are compared.
        """
        return self.dim << len(self.generator) if self.by_differences else super().work

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine as an exact Fraction, and a text that says how it was found.

        Args:
            progress: Called with the stage, the number of finished steps, and the number of all steps.
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
        """Return a mapping from each cosine to the number of pairs of points with this cosine.

        Args:
            progress: Called with the stage, the number of finished steps, and the number of all steps.
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

        If the codewords are not stored, because they would need too much memory, nothing is checked.
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
        """Return the codewords that a generator matrix and a list of messages in the content of a file determine.

        Bit j of a message, which is an integer, says whether row j of the generator matrix is added (XOR) to its
        codeword.

        Args:
            content: Arrays and header of the file.

        Raises:
            InvalidArgumentError: If an array is missing or does not fit, or if the matrix has more than 62 rows.
        """
        generator = content.packed("generator", None)
        if len(generator) > LARGEST_MESSAGE_BITS:
            raise InvalidArgumentError(
                f"'generator' should have at most 62 rows, has {len(generator)}"
            )
        messages = content.numbers("messages", 1 << len(generator))
        signs = content.packed_or("signs", lambda: encode(generator, messages))
        return LinearWords(content.dim, signs, generator, messages)
