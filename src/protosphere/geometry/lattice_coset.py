"""Points in one coset of a lattice: their differences are lattice vectors.

A coset of a lattice is the lattice moved by a vector. The distance of two different points in a coset is at least the
norm of the shortest nonzero lattice vector.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protosphere.types import Indices, Points

COSET_TOLERANCE = 1e-12
"""Largest rounding error of a coordinate: a vector this close to a lattice vector counts as a lattice vector."""

BLOCK_ROWS = 1 << 14
"""Number of points that are processed together, so that intermediate results stay in the processor's cache."""

MIXER = 0x1E3779B97F4A7C15
"""Odd number with irregular bits, by which hashes are multiplied to spread them over 64 bits."""


@dataclass(frozen=True, eq=False)
class LatticeCoset:
    """A lattice that contains all differences of the points of a code.

    Attributes:
        basis: Basis of the lattice, as the rows of an r x r matrix. The points may have more than r coordinates; all
            points must then have the same further coordinates.
        least: Lower bound on the squared norms of all nonzero vectors of the lattice with this basis.
        theorem: Text that states the theorem that gives `least`.
    """

    basis: Points
    least: Fraction
    theorem: str

    @property
    def ceiling(self) -> Fraction:
        """Upper bound 1 - least / 2 on the cosine of two different unit vectors whose difference is in the lattice.

        The squared distance of two unit vectors is 2 - 2 cos, and it is at least `least`.
        """
        return 1 - self.least / 2

    def in_annulus(self, lengths: Points) -> bool:
        """Return whether points with the given norms satisfy the upper bound `ceiling` on cosines by a theorem.

        The theorem is for different points whose differences are vectors of the lattice. The result is True if all
        norms are above 0, at least 1 - `least`, and at most 1, up to rounding. Otherwise the theorem does not apply,
        and the result is False.

        Args:
            lengths: Norms of the points, as an array of any shape.
        """
        # the cosine of points with lengths a <= b is at most (a^2 + b^2 - least) / 2ab, which is at most 1 - least/2
        # if 1 - least <= a and b <= 1
        shortest = float(np.min(lengths))
        longest = float(np.max(lengths))
        if shortest <= 0 or longest > 1 + COSET_TOLERANCE:
            return False
        return 1 - float(self.least) <= shortest + COSET_TOLERANCE

    def holds(self, points: Points, lengths: Points | None = None) -> bool:
        """Return whether all points are different, and all their differences are in the lattice up to rounding.

        Args:
            points: Unit vectors, as rows.
            lengths: K x 1 array of numbers, by which the K unit vectors are multiplied before the test. None means that
                the unit vectors themselves are tested.
        """
        # the coefficients of all differences in the basis must be integers, and all points must have the same
        # coordinates after the first `rank`
        rank = len(self.basis)
        inverse = np.linalg.inv(self.basis)
        mixers = np.arange(1, 2 * rank, 2, dtype=np.int64) ** 15 * MIXER
        hashes = np.empty(len(points), dtype=np.int64)
        first = points[0] * (1.0 if lengths is None else lengths[0])
        for start in range(0, len(points), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            vectors = points[rows] if lengths is None else points[rows] * lengths[rows]
            differences = vectors - first
            integers = np.rint(differences[:, :rank] @ inverse)
            differences[:, :rank] -= integers @ self.basis
            if np.any(differences[:, rank:]):
                return False
            if np.max(np.abs(differences)) > COSET_TOLERANCE:
                return False
            # products may overflow, but equal rows have equal hashes
            hashes[rows] = integers.astype(np.int64) @ mixers
        hashes.sort()
        return bool(np.all(hashes[1:] > hashes[:-1]))


def integer_basis(vectors: Indices) -> Indices:
    """Return a basis of the lattice that integer vectors generate, as the rows of a matrix in row echelon form.

    Args:
        vectors: Integer vectors, as rows.

    >>> integer_basis(np.array([[4, 6], [6, 4]])).tolist()
    [[2, -2], [0, 10]]
    """
    rows = vectors.astype(np.int64)
    basis: list[Indices] = []
    for column in range(rows.shape[1]):
        # Euclid's algorithm leaves at most one nonzero entry in the column
        while len(hit := np.flatnonzero(rows[:, column])) > 1:
            pivot = hit[np.argmin(np.abs(rows[hit, column]))]
            others = hit[hit != pivot]
            quotients = rows[others, column] // rows[pivot, column]
            rows[others] -= quotients[:, None] * rows[pivot]
        if len(hit):  # else the column depends on those before it
            last = hit[0]
            basis.append(rows[last] * np.sign(rows[last, column]))
            rows = np.delete(rows, last, axis=0)
    return np.array(basis)
