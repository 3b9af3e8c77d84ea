"""Structure for codewords of a binary linear code.

The distance of two codewords is the weight (number of ones) of their sum, which is a codeword too.
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
"""Number k of rows of the generator up to which all 2^k differences of messages are enumerated.

For larger k they are enumerated only if 2^k is at most four times the number of codewords.
"""


@structure("linear")
@dataclass(frozen=True, eq=False)
class LinearWords(SignWords):
    """Codewords of a binary linear code.

    A message is an integer. Its codeword is the sum (XOR) of the rows j of the generator matrix for which bit j of the
    message is 1, where bit 0 is the lowest bit. The difference of two messages is their XOR.

    Attributes:
        generator: Packed rows of the generator matrix.
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

        Args:
            generator: Packed rows of the generator matrix.
            dim: Length n of the codewords.
            messages: One integer per codeword; bit j selects row j of the generator.
        """
        held = held_words(len(messages), dim, lambda: encode(generator, messages))
        return LinearWords(dim, held, generator, messages)

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return the packed codewords of the messages in `numbers`."""
        return encode(self.generator, numbers)

    @property
    def by_differences(self) -> bool:
        """Whether cosines are computed from all differences of messages instead of all pairs of codewords.

        There are 2^k differences, where k is the number of rows of the generator. The result is True if 2^k is at most
        four times K or at most 2^`MOST_DIFFERENCE_BITS`.
        """
        return 1 << len(self.generator) <= max(
            1 << MOST_DIFFERENCE_BITS, 4 * self.count
        )

    @property
    def work(self) -> int:
        """Approximate number of multiplications of `verified_cosine`.

        If `by_differences` is True, one codeword is computed for each of the 2^k messages, where k is the number of
        rows of the generator. Otherwise, all pairs of codewords are compared.
        """
        return self.dim << len(self.generator) if self.by_differences else super().work

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine and a text that says how it was found.

        There are three cases:

        - If `by_differences` is False, all pairs are compared.
        - Otherwise, if `messages` contains more than half of all messages, and none of them twice, the maximum cosine
          is computed from the minimum distance of the linear code. The reason is that every nonzero message is then the
          difference of two messages in `messages`.
        - Otherwise, the maximum cosine is the largest cosine in `spectrum`.
        """
        if not self.by_differences:
            return super().largest_cosine(progress)
        method = "weights of all differences of a linear code"
        if 2 * self.count > 1 << len(self.generator) and not np.any(
            np.bincount(self.messages) > 1
        ):
            return 1 - Fraction(
                2 * smallest_weight(self.generator, self.dim), self.dim
            ), method
        return max(self.spectrum(progress)), method

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine to its number of pairs.

        If `by_differences` is True, all differences (XOR) of two messages are counted. The weight of the codeword of a
        difference is the distance of the two codewords. Otherwise, all pairs of codewords are compared.
        """
        if not self.by_differences:
            return super().spectrum(progress)
        counts = pair_distance_counts(self.generator, self.messages)
        return {
            1 - Fraction(2 * distance, self.dim): pairs
            for distance, pairs in counts.items()
        }

    def check(self) -> None:
        """Raise CertificateError if the stored codewords do not match `generator` and `messages`.

        These two attributes determine all codewords, which must be equal to `held`. If `held` is None, nothing is
        checked.
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
        """Read codewords, a generator matrix and one message for each codeword from the content of a file."""
        generator = content.packed("generator", None)
        if len(generator) > LARGEST_MESSAGE_BITS:
            raise InvalidArgumentError(
                f"'generator' should have at most 62 rows, has {len(generator)}"
            )
        messages = content.numbers("messages", 1 << len(generator))
        signs = content.packed_or("signs", lambda: encode(generator, messages))
        return LinearWords(content.dim, signs, generator, messages)
