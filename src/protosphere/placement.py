"""Points before they are certified, and the words that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from protosphere.geometry.gram import Rows, point_rows, sign_rows
from protosphere.types import Indices, PackedBits, Points


@dataclass(frozen=True)
class Provenance:
    """Enough to rebuild the points bit for bit: `ps.construct` called again with the same words."""

    construction: str
    num_classes: int
    dim: int
    options: Mapping[str, Any]
    seed: int
    mapping: str
    version: str


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
class Placement:
    """What a construction hands over to be certified: dense points, or +-1/sqrt(n) words packed one bit an entry.

    Attributes:
        points, signs: the one or the other.
        dim: n.
        recipe: in words, what was built (which code, how it was modified).
        cosine_step: every cosine is 1 - j * cosine_step for an integer j; None where they are not rational.
        structure: how the words come from a linear code, or from cosets of RM(1, m), where they do.
    """

    dim: int
    recipe: str
    points: Points | None = None
    signs: PackedBits | None = None
    cosine_step: Fraction | None = None
    structure: BinaryLinear | CosetUnion | None = None

    @property
    def rows(self) -> Rows:
        """The points in slices; words as +-1, not scaled."""
        if self.signs is not None:
            return sign_rows(self.signs, self.dim)
        assert self.points is not None, "a placement holds points or signs"
        return point_rows(self.points)

    def permuted(self, order: Indices) -> Placement:
        """The same points, class i getting point order[i]."""
        structure = self.structure and self.structure.permuted(order)
        points = None if self.points is None else self.points[order]
        signs = None if self.signs is None else self.signs[order]
        return Placement(self.dim, self.recipe, points, signs, self.cosine_step, structure)
