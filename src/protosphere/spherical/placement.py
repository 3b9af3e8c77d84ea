"""The class `Placement`: points, and a text that says how they were built, but no certificate.

The points are K unit vectors of R^n. A certificate states their maximum cosine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from protosphere.spherical.structures import Plain, Structure
from protosphere.types import Indices, PackedBits, Points


@dataclass(frozen=True, eq=False)
class Placement:
    """Points that a construction has built, without a certificate.

    Attributes:
        description: Text that says what was built, such as which code was used and how it was modified.
        structure: The points in the form in which they are stored, such as a float64 matrix or packed codewords of a
            linear code.

    Example:
        >>> import protosphere as ps
        >>> ps.construct("simplex", num_classes=10, dim=9).placement.count
        10
    """

    description: str
    structure: Structure

    @property
    def count(self) -> int:
        """Number K of points."""
        return self.structure.count

    @property
    def dim(self) -> int:
        """Dimension n."""
        return self.structure.dim

    @property
    def points(self) -> Points | None:
        """The K x n matrix of the points if they are stored as a matrix, otherwise None."""
        return self.structure.points

    @property
    def packed_signs(self) -> PackedBits | None:
        """Signs of the entries of the points, packed eight to a byte; None if the points are not stored as signs.

        There is one row of bytes for each point. Only points with entries +1/sqrt(n) and -1/sqrt(n) can be stored as
        signs. Bit 1 stands for +1/sqrt(n), and bit 0 for -1/sqrt(n). If such points are stored as a matrix of floats,
        the value is None, too.
        """
        return self.structure.packed_signs

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        return self.structure.unit_rows(start, stop)

    def freeze(self) -> None:
        """Make the arrays in which the points are stored read-only.

        Certified points must not change.
        """
        for array in self.structure.arrays().values():
            array.flags.writeable = False

    def permuted(self, order: Indices) -> Placement:
        """Return a placement whose point i is point order[i] of this placement.

        Args:
            order: Indices of points of this placement: all of them in a new order, or some of them.
        """
        return replace(self, structure=self.structure.permuted(order))

    def padded(self, dim: int, description: str) -> Placement:
        """Return the same points in R^dim with zeros appended, and with a new description.

        Args:
            dim: Number of coordinates of the new points, at least the present number.
            description: New description.
        """
        return Placement(
            description,
            self.structure if dim == self.dim else self.structure.padded(dim),
        )


def dense_placement(
    description: str, points: Points, cosine_step: Fraction | None = None
) -> Placement:
    """Return a placement of points that are given as a matrix of unit rows.

    Args:
        description: Text that says what was built.
        points: Unit vectors, one per row.
        cosine_step: Fraction for which a theorem says that every cosine is 1 - j * cosine_step with an integer j. The
            maximum cosine is then certified exactly. None if there is no such theorem.
    """
    return Placement(description, Plain(points, cosine_step))
