"""Points before they are certified, and the words that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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


@dataclass(frozen=True, eq=False)
class Placement:
    """What a construction hands over to be certified: dense points, or +-1/sqrt(n) words packed one bit an entry.

    Attributes:
        points, signs: the one or the other.
        dim: n.
        recipe: in words, what was built (which code, how it was modified).
        cosine_step: every cosine is 1 - j * cosine_step for an integer j; None where they are not rational.
        structure: how the words come from a linear code, where they do.
    """

    dim: int
    recipe: str
    points: Points | None = None
    signs: PackedBits | None = None
    cosine_step: Fraction | None = None
    structure: BinaryLinear | None = None

    @property
    def rows(self) -> Rows:
        """The points in slices; words as +-1, not scaled."""
        if self.signs is not None:
            return sign_rows(self.signs, self.dim)
        assert self.points is not None, "a placement holds points or signs"
        return point_rows(self.points)

    def permuted(self, order: Indices) -> Placement:
        """The same points, class i getting point order[i]."""
        structure = self.structure and BinaryLinear(self.structure.generator, self.structure.messages[order])
        points = None if self.points is None else self.points[order]
        signs = None if self.signs is None else self.signs[order]
        return Placement(self.dim, self.recipe, points, signs, self.cosine_step, structure)
