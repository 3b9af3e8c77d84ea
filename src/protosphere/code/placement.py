"""Points before they are certified, and the words that made them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from protosphere.codes.shortened_cosets import ShortenedCosets
from protosphere.geometry.gram import Rows, point_rows, sign_rows
from protosphere.geometry.lattice_coset import LatticeCoset
from protosphere.geometry.sphere import normalized, padded
from protosphere.types import Indices, PackedBits, Points

MANY = 20_000
"""Words of more classes than this stay packed also with zeros after them."""

LARGEST_DENSE = 1 << 23
"""Entries up to which words with a tail are made dense (64 MB); above they stay packed."""


@dataclass(frozen=True, eq=False)
class BinaryLinear:
    """That the words are chosen ones of a binary linear code: word i encodes messages[i] over the generator's rows."""

    generator: PackedBits
    messages: Indices

    def permuted(self, order: Indices) -> BinaryLinear:
        """The same words, word i being what word order[i] was."""
        return BinaryLinear(self.generator, self.messages[order])


@dataclass(frozen=True, eq=False)
class CosetUnion:
    """That the words are those of cosets of RM(1, m): word i is number numbers[i] of the union (`codes.cosets`).

    `representatives` are packed, one a coset; coset c has the words number 2nc to 2nc + 2n - 1.
    """

    m: int
    representatives: PackedBits
    numbers: Indices

    def permuted(self, order: Indices) -> CosetUnion:
        """The same words, word i being what word order[i] was."""
        return CosetUnion(self.m, self.representatives, self.numbers[order])

    @property
    def whole(self) -> bool:
        """Whether the words are the first so many of the union: every coset is whole, but perhaps the last."""
        count = len(self.numbers)
        cosets = -(-count >> (self.m + 1))
        return cosets == len(self.representatives) and np.array_equal(np.sort(self.numbers), np.arange(count))


@dataclass(frozen=True, eq=False)
class ShortenedWords:
    """That the words are those of a shortened chain of cosets: word i is number numbers[i] of `code`."""

    code: ShortenedCosets
    numbers: Indices

    def permuted(self, order: Indices) -> ShortenedWords:
        """The same words, word i being what word order[i] was."""
        return ShortenedWords(self.code, self.numbers[order])

    @property
    def whole(self) -> bool:
        """Whether the words are the first so many of the code, each once."""
        return np.array_equal(np.sort(self.numbers), np.arange(len(self.numbers)))


@dataclass(frozen=True, eq=False)
class Tail:
    """Coordinates after the words: (sqrt(share) word, sqrt(1 - share) vectors[g]), g = number of the word // group."""

    share: float
    vectors: Points
    group: int

    @property
    def dim(self) -> int:
        """How many coordinates there are."""
        return self.vectors.shape[1]


@dataclass(frozen=True, eq=False)
class Placement:
    """What a construction hands over to be certified: dense points, or +-1/sqrt(n) words packed one bit an entry.

    Attributes:
        points, signs: the one or the other.
        dim: n.
        recipe: in words, what was built (which code, how it was modified).
        cosine_step: every cosine is 1 - j * cosine_step for an integer j; None where they are not rational.
        structure: how the words come from a linear code, or from cosets of RM(1, m), where they do.
        lattice: the lattice whose vectors the differences of dense points are, where they are; not kept in files.
        tail: what follows the words, where n is more than their length; other than zeros only with ShortenedWords.
    """

    dim: int
    recipe: str
    points: Points | None = None
    signs: PackedBits | None = None
    cosine_step: Fraction | None = None
    structure: BinaryLinear | CosetUnion | ShortenedWords | None = None
    lattice: LatticeCoset | None = None
    tail: Tail | None = None

    @property
    def rows(self) -> Rows:
        """The points in slices; words without a tail as +-1, not scaled."""
        if self.tail is not None:
            return Rows(0 if self.signs is None else len(self.signs), self.dim, self._tailed)
        if self.signs is not None:
            return sign_rows(self.signs, self.dim)
        assert self.points is not None, "a placement holds points or signs"
        return point_rows(self.points)

    def freeze(self) -> None:
        """Make the arrays read-only: what is certified stays what it was."""
        for array in (self.points, self.signs):
            if array is not None:
                array.flags.writeable = False

    @property
    def words(self) -> PackedBits | None:
        """The packed words where they are the whole points: +-1/sqrt(n), nothing after them."""
        return None if self.tail is not None else self.signs

    def unit_rows(self, start: int, stop: int) -> Points:
        """Points `start` to `stop` as unit vectors."""
        block = self.rows.slice(start, stop).astype(np.float64)
        return block if self.words is None else block / np.sqrt(self.dim)

    @property
    def structure_numbers(self) -> Indices:
        """The numbers of the words that tails go by."""
        assert isinstance(self.structure, ShortenedWords), "tails go by the numbers of shortened words"
        return self.structure.numbers

    def _tailed(self, start: int, stop: int) -> Points:
        assert self.tail is not None, "only called with a tail"
        assert self.signs is not None, "tails follow words"
        length = self.dim - self.tail.dim
        heads = sign_rows(self.signs, length).slice(start, stop) * np.sqrt(self.tail.share / length)
        if self.tail.share == 1:
            return padded(heads.astype(np.float64), self.dim)
        which = self.structure_numbers[start:stop] // self.tail.group
        return np.hstack([heads, self.tail.vectors[which] * np.sqrt(1 - self.tail.share)])

    @property
    def without_zeros(self) -> Placement:
        """The same points without the zero coordinates at their end, where packed words have such."""
        if self.tail is None or self.tail.share < 1:
            return self
        return replace(self, dim=self.dim - self.tail.dim, tail=None)

    def with_tail(self, tail: Tail) -> Placement:
        """The words followed by `tail`: dense where that is small, else still packed."""
        longer = replace(self, dim=self.dim + tail.dim, tail=tail, cosine_step=None)
        count = len(self.structure_numbers)
        if count > MANY or count * longer.dim > LARGEST_DENSE:
            return longer
        return Placement(longer.dim, self.recipe, points=normalized(longer.unit_rows(0, count)))

    def padded(self, dim: int, recipe: str) -> Placement:
        """The same points in R^dim, zeros appended; the recipe renamed."""
        if dim == self.dim:
            return replace(self, recipe=recipe)
        count = self.rows.count
        if self.words is not None and count > MANY:
            zeros = Tail(1.0, np.zeros((1, dim - self.dim)), 1 << 62)
            return replace(self, dim=dim, recipe=recipe, tail=zeros)
        points = padded(self.unit_rows(0, count), dim)
        return Placement(dim, recipe, points=points, cosine_step=self.cosine_step, lattice=self.lattice)

    def permuted(self, order: Indices) -> Placement:
        """The same points, class i getting point order[i]."""
        structure = self.structure and self.structure.permuted(order)
        points = None if self.points is None else self.points[order]
        signs = None if self.signs is None else self.signs[order]
        return replace(self, points=points, signs=signs, structure=structure)
