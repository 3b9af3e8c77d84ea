"""Words with more coordinates after them: zeros, or a tail that tells cosets apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InvalidArgumentError, as_integer, as_positive, brief
from protosphere.geometry import gram
from protosphere.geometry.sphere import (
    normalized,
    padded,
    renormalized,
    require_unit_rows,
)
from protosphere.spherical.structures.plain import Plain
from protosphere.spherical.structures.shortened import (
    MOST_PAIR_PRODUCTS,
    ShortenedWords,
)
from protosphere.spherical.structures.sign_rows import SignRows
from protosphere.spherical.structures.sign_words import SignWords
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    read_structure,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress, UpperBound

LARGEST_DENSE = 1 << 23
"""Entries up to which words with a tail are made dense (64 MB); above they stay packed."""

EVERY_WORD = 1 << 62
"""The group of zeros: all words have the same."""


@structure("tailed")
@dataclass(frozen=True, eq=False)
class Tailed:
    """(sqrt(share) word, sqrt(1 - share) tails[g]), g = number of the word // group; zeros where share is 1."""

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("hadamard",)
    points = None
    packed_signs = None

    head: SignWords
    share: float
    tails: Points
    group: int

    @property
    def derived(self) -> tuple[str, ...]:
        """Those of the words."""
        return self.head.derived

    @property
    def count(self) -> int:
        """K."""
        return self.head.count

    @property
    def dim(self) -> int:
        """n: the words' length and the tails'."""
        return self.head.dim + self.tails.shape[1]

    @property
    def is_chain(self) -> bool:
        """What the words are."""
        return self.head.is_chain

    @property
    def cosine_step(self) -> Fraction | None:
        """That of the words where zeros follow."""
        return self.head.cosine_step if self.share == 1 else None

    @property
    def work(self) -> int:
        """That of the words where zeros follow, else all pairs."""
        return self.head.work if self.share == 1 else self.count**2 * self.dim // 2

    def unit_rows(self, start: int, stop: int) -> Points:
        """The words, scaled, and their tails."""
        packed = self.head.packed_rows(start, stop)
        words = gram.sign_rows(packed, self.head.dim).slice(0, len(packed))
        which = self.head.word_numbers()[start:stop] // self.group
        return np.hstack(
            [
                words * np.sqrt(self.share / self.head.dim),
                self.tails[which] * np.sqrt(1 - self.share),
            ]
        )

    def sign_rows(self) -> SignRows:
        """The words and their tails."""
        rows = self.head.sign_rows()
        height = sqrt(self.share / self.head.dim)
        tails = self.tails * sqrt(1 - self.share)
        return replace(
            rows, coefficient=height, tails=tails, tail_of=rows.numbers // self.group
        )

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """That of the words where zeros follow; else as the words know it, or by all pairs."""
        if self.share == 1:
            return self.head.largest_cosine(progress)
        if (
            isinstance(self.head, ShortenedWords)
            and self.head.by_cosets
            and self.group & (self.group - 1) == 0
        ):
            largest, method = self.head.largest_with_tails(
                self.share, self.tails, self.group, progress
            )
            if not isinstance(largest, UpperBound) or self.work > MOST_PAIR_PRODUCTS:
                return largest, method
        rows = gram.Rows(self.count, self.dim, self.unit_rows)
        return min(
            gram.largest_inner_product(rows, progress), 1.0
        ), "all pairs, in float64"

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """After `check`, which looks at no pair."""
        self.check()
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """That of the words where zeros follow."""
        return self.head.spectrum(progress) if self.share == 1 else None

    def check(self) -> None:
        """The words are what they should be."""
        self.head.check()

    def permuted(self, order: Indices) -> Tailed:
        """The words in another order, each with its tail."""
        return replace(self, head=self.head.permuted(order))

    def padded(self, dim: int) -> Plain:
        """Dense points."""
        return Plain(padded(self.unit_rows(0, self.count), dim), self.cosine_step)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """The words, the tails, and how they are put together."""
        put = np.array([self.share, self.group], dtype=np.float64)
        return self.head.point_arrays() | {"tails": self.tails, "share": put}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Those of the words, and the tails."""
        return self.head.arrays() | {"tails": self.tails}

    def words(self) -> dict[str, Any]:
        """What the words are, and how the tails follow."""
        return self.head.words() | {
            "head": self.head.name,
            "tail": {"share": self.share, "group": self.group},
        }

    @classmethod
    def read(cls, content: Content) -> Tailed:
        """Packed words and a tail for each: unit vectors, or zeros where the words are all."""
        tails = content.array("tails", (None, None), np.float64)
        tail = content.record("tail")
        share = as_positive("share", tail.get("share"))
        group = as_integer("group", tail.get("group"), minimum=1)
        if share > 1 or group > EVERY_WORD:
            sizes = f"{share}, {brief(group)}"
            raise InvalidArgumentError(
                f"'share' should be at most 1 and 'group' at most 2^62, are {sizes}"
            )
        if not tails.size or tails.shape[1] >= content.dim:
            raise InvalidArgumentError(
                f"'tails' should leave room for words, are {tails.shape} of {content.dim}"
            )
        if share < 1:
            require_unit_rows(np.vstack([tails, tails[:1]]), "tails")
        elif tails.any():
            raise InvalidArgumentError(
                "'tails' should be zeros where the words have the whole share"
            )
        head = read_structure(
            content.words.get("head"),
            replace(content, dim=content.dim - tails.shape[1]),
        )
        if not isinstance(head, SignWords):
            raise InvalidArgumentError(
                f"'head' should be packed words before their tails, is '{head.name}'"
            )
        if int(head.word_numbers().max()) // group >= len(tails):
            raise InvalidArgumentError(
                f"'group' should give every word one of {len(tails)} tails, is {group}"
            )
        return Tailed(head, share, renormalized(tails) if share < 1 else tails, group)


def followed_by(
    head: SignWords, share: float, tails: Points, group: int
) -> Plain | Tailed:
    """The words followed by tails: dense where that is small, else still packed."""
    longer = Tailed(head, share, tails, group)
    if longer.count > ALL_PAIRS_POINTS or longer.count * longer.dim > LARGEST_DENSE:
        return longer
    return Plain(normalized(longer.unit_rows(0, longer.count)))
