"""Points before they are certified: what they are, and in words how they were built."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from protosphere.spherical.structures import Plain, Structure
from protosphere.types import Indices, PackedBits, Points


@dataclass(frozen=True, eq=False)
class Placement:
    """What a construction hands over to be certified.

    Attributes:
        description: in words, what was built (which code, how it was modified).
        structure: the points, in the form they have: `Plain` rows, words of a linear code, ... (`code.structures`).
    """

    description: str
    structure: Structure

    @property
    def count(self) -> int:
        """K."""
        return self.structure.count

    @property
    def dim(self) -> int:
        """n."""
        return self.structure.dim

    @property
    def points(self) -> Points | None:
        """The dense points, or None where they are held in another form."""
        return self.structure.points

    @property
    def packed_signs(self) -> PackedBits | None:
        """The packed words, or None where the points are anything else than +-1/sqrt(n) words."""
        return self.structure.packed_signs

    def unit_rows(self, start: int, stop: int) -> Points:
        """Points `start` to `stop` as unit vectors."""
        return self.structure.unit_rows(start, stop)

    def freeze(self) -> None:
        """Make the arrays read-only: what is certified stays what it was."""
        for array in self.structure.arrays().values():
            array.flags.writeable = False

    def permuted(self, order: Indices) -> Placement:
        """The points number order[0], order[1], ...: all of them in another order, or some alone."""
        return replace(self, structure=self.structure.permuted(order))

    def padded(self, dim: int, description: str) -> Placement:
        """The same points in R^dim, zeros appended; the description renamed."""
        return Placement(
            description,
            self.structure if dim == self.dim else self.structure.padded(dim),
        )


def dense_placement(
    description: str, points: Points, cosine_step: Fraction | None = None
) -> Placement:
    """Unit rows as they are; with `cosine_step`, all cosines being 1 - j times that, they are certified exactly."""
    return Placement(description, Plain(points, cosine_step))
