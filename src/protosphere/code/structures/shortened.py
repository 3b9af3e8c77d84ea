"""Words of a shortened chain of cosets, which may have tails after them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.code.structures.sign_words import SignWords
from protosphere.code.structures.structure import ALL_PAIRS_POINTS, Content, structure
from protosphere.codes.quadratic_forms import LARGEST_NUMBER_BITS
from protosphere.codes.shortened_cosets import ShortenedCosets
from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.geometry.gram import largest_inner_product, point_rows
from protosphere.types import Cosine, Indices, Points, Progress

SHORT = 256
"""Up to this length any cut will do."""

METHOD = "all differences of whole cosets, in integers"


@structure("shortened")
@dataclass(frozen=True, eq=False)
class ShortenedWords(SignWords):
    """Word i is number numbers[i] of `code`."""

    derived = ("signs",)
    is_chain = True
    sources = ("numbers",)

    code: ShortenedCosets
    numbers: Indices

    @classmethod
    def of(cls, code: ShortenedCosets, count: int) -> ShortenedWords:
        """The first words."""
        return ShortenedWords(code.dim, code.words(count), code, np.arange(count))

    @property
    def by_cosets(self) -> bool:
        """Whether there are many, and they are the first so many of the code, each once."""
        return self.count > ALL_PAIRS_POINTS and np.array_equal(np.sort(self.numbers), np.arange(self.count))

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """By all differences of whole cosets: no pair is above it."""
        if not self.by_cosets:
            return super().largest_cosine(progress)
        closest = max(self.code.closest_within_coset(), int(self._by_difference(progress).max()))
        return Fraction(closest, self.dim), METHOD

    def largest_with_tails(self, share: float, tails: Points, group: int, progress: Progress) -> tuple[float, str]:
        """By all differences of whole cosets, and of their tails, which groups of a power of two words share."""
        code, by_difference, alone = self.code, self._by_difference(progress), self.code.closest_within_coset()
        layer = max(1, (group >> code.coset_bits) // code.slopes)
        one_coset = group >> code.coset_bits == 1
        within = max([alone] if one_coset else [alone, int(by_difference[:layer].max())])
        other_tails = by_difference if one_coset else by_difference[layer:]
        if not len(other_tails):  # the first words of a longer code, which all have one tail
            return share * within / self.dim + 1 - share, f"{METHOD}, which have one tail"
        apart = largest_inner_product(point_rows(tails))
        same, other = (share * product / self.dim for product in (within, int(other_tails.max())))
        return max(same + 1 - share, other + (1 - share) * apart), f"{METHOD}, and of their tails"

    def _by_difference(self, progress: Progress) -> NDArray[np.int64]:
        return self.code.closest(-(-self.count >> self.code.coset_bits), progress)

    def check(self) -> None:
        """The words are those of the numbers."""
        if not np.array_equal(self.code.numbered(self.numbers), self.packed_signs):
            raise CertificateError("the words are not the ones their cosets and numbers give")

    def words(self) -> dict[str, Any]:
        """How the chain was cut."""
        return {"shortened": asdict(self.code)}

    @classmethod
    def read(cls, content: Content) -> ShortenedWords:
        """Words of the length that the cut chain has."""
        code = ShortenedCosets(**content.record("shortened"))
        if code.dim != content.dim:
            raise InvalidArgumentError(f"'shortened' should leave words of length {content.dim}, leaves {code.dim}")
        if 1 << code.m > max(SHORT, 2 * code.dim):  # a small file may not have us work with long words
            raise InvalidArgumentError(f"'punctured' should leave half of 2^{code.m}, is {code.punctured}")
        numbers = content.numbers("numbers", 1 << LARGEST_NUMBER_BITS)
        return ShortenedWords(content.dim, content.packed_or("signs", lambda: code.numbered(numbers)), code, numbers)
