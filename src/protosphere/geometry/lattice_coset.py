"""Points of one coset of a lattice: none are closer than its shortest vector, so one closest pair settles them all."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protosphere.types import Indices, Points

COSET_TOLERANCE = 1e-12
"""How far rounding may carry points from the lattice."""

MIXER = 0x1E3779B97F4A7C15
"""An odd number without pattern: products with it scatter over 64 bits."""


@dataclass(frozen=True, eq=False)
class LatticeCoset:
    """That differences of the points are vectors of the lattice spanned by the rows of `basis`, by which theorem.

    `least` is the squared length of the shortest non-zero vector of that lattice (or a smaller number), in the scale
    of the points.
    """

    basis: Points
    least: Fraction
    theorem: str

    @property
    def ceiling(self) -> Fraction:
        """What no cosine of two different unit vectors of a coset exceeds: 1 - |x - y|^2 / 2 at the least distance."""
        return 1 - self.least / 2

    def holds(self, points: Points) -> bool:
        """Whether the points are different ones of one coset: integer coordinates of all differences, none repeated.

        Coordinates after those of the lattice must be the same for all.
        """
        rank = len(self.basis)
        differences = points - points[0]
        if np.any(differences[:, rank:]):
            return False
        coordinates = differences[:, :rank] @ np.linalg.inv(self.basis)
        integers = np.rint(coordinates)
        if np.max(np.abs(integers @ self.basis - differences[:, :rank]), initial=0.0) > COSET_TOLERANCE:
            return False
        mixers = np.arange(1, 2 * rank, 2, dtype=np.int64) ** 15 * MIXER
        hashes = integers.astype(np.int64) @ mixers  # wraps around; equal rows have equal hashes
        return len(np.unique(hashes)) == len(points)


def integer_basis(vectors: Indices) -> Indices:
    """A triangular basis of the lattice spanned by integer vectors, by Euclid's algorithm down each column.

    >>> integer_basis(np.array([[4, 6], [6, 4]])).tolist()
    [[2, -2], [0, 10]]
    """
    rows = vectors.astype(np.int64)
    basis: list[Indices] = []
    for column in range(rows.shape[1]):
        while len(hit := np.flatnonzero(rows[:, column])) > 1:
            pivot = hit[np.argmin(np.abs(rows[hit, column]))]
            others = hit[hit != pivot]
            rows[others] -= (rows[others, column] // rows[pivot, column])[:, None] * rows[pivot]
        if len(hit):  # else the column depends on those before it
            basis.append(rows[hit[0]] * np.sign(rows[hit[0], column]))
            rows = np.delete(rows, hit[0], axis=0)
    return np.array(basis)
