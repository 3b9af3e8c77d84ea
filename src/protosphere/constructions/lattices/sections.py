"""Sections of a shell of a lattice: the vectors with given inner products with a few fixed vectors, projected.

A shell is a set of vectors of the same norm, such as the shortest vectors of a lattice.

The vectors of a section are projected to the orthogonal complement of the fixed vectors. The projection subtracts the
same vector from all vectors of the section. So their differences stay the same, and their cosines do not increase. If
the squared norm of each nonzero difference is at least d, and the projected vectors have squared norm r, the maximum
cosine is at most 1 - d/(2r).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protosphere.coding.reed_muller import generator_rows
from protosphere.constructions.families import Member
from protosphere.constructions.lattices import leech
from protosphere.constructions.lattices.construction_b import (
    SmallIntegers,
    shell_vectors,
)
from protosphere.geometry.lattice_coset import LatticeCoset, integer_basis
from protosphere.geometry.sphere import normalized
from protosphere.spherical.structures import LatticePoints
from protosphere.types import Points


@dataclass(frozen=True)
class Parent:
    """A shell of a lattice, of which sections are taken.

    Attributes:
        name: Name of the shell, which becomes part of the descriptions of sections.
        vectors: Function that returns the vectors of the shell, as integer rows.
        norm_divisor: Integer k such that the squared norm of every lattice vector is an integer multiple of m / k. Here
            m is the smallest squared norm of a nonzero lattice vector.
        theorem: Text for certificates: the theorem that states the smallest squared norm of a nonzero lattice vector.
    """

    name: str
    vectors: Callable[[], SmallIntegers]
    norm_divisor: int
    theorem: str


LEECH = Parent(
    "Leech lattice",
    leech.leech_minimal_vectors,
    2,
    "the Leech lattice has least norm 4",
)
E8 = Parent(
    "E8",
    lambda: shell_vectors(generator_rows(0, 3), (0,) * 8, 8),
    1,
    "E8 has least norm 2",
)


@dataclass(frozen=True)
class Section:
    """The vectors of a shell with given inner products with fixed vectors, projected and normalized.

    Attributes:
        dim: Dimension n of the projected vectors.
        size: Number of vectors, or 0 if this number is not known.
        max_cosine: Maximum cosine of the projected vectors, known by a theorem.
        parent: The shell from which the vectors are taken.
        fixed: The fixed vectors, in the coordinates of the shell.
        products: Inner products. Entry i is the inner product that all vectors of the section have with fixed vector i.
        id: Identifier of the code within its family.
        name: Text that says what the code is.
    """

    dim: int
    size: int
    max_cosine: Fraction
    parent: Parent
    fixed: tuple[tuple[int, ...], ...]
    products: tuple[int, ...]
    id: str
    name: str

    @property
    def member(self) -> Member:
        """The section as a `Member` of a family: its size, maximum cosine and a function that builds its points."""
        vectors = f"{self.parent.name} vectors"
        description = f"{self.name}: {vectors} with inner products fixed with {len(self.fixed)} others"
        return Member(
            dim=self.dim,
            size=self.size,
            max_cosine=self.max_cosine,
            id=self.id,
            description=description,
            structure=self.structure,
        )

    def structure(self, count: int) -> LatticePoints:
        """Return the first `count` vectors of the section, projected and normalized.

        The vectors are in the order in which the shell lists them.
        """
        vectors = self.parent.vectors().astype(np.int64)
        fixed = np.array(self.fixed)
        chosen = vectors[np.all(vectors @ fixed.T == self.products, axis=1)]
        across: Points = np.linalg.qr(fixed.T.astype(np.float64), mode="complete")[0][
            :, len(fixed) :
        ]
        flat = chosen @ across
        length = float(np.linalg.norm(flat[0]))
        least = 2 * (1 - self.max_cosine)
        spanning = chosen[1 :: max(1, len(chosen) // 2000)] - chosen[0]
        lattice = LatticeCoset(
            integer_basis(spanning) @ across / length, least, self.parent.theorem
        )
        step = least / (2 * self.parent.norm_divisor)
        return LatticePoints(normalized(flat[:count]), step, lattice=lattice)


def sparse(dim: int, entries: dict[int, int]) -> tuple[int, ...]:
    """Return a vector with the given entries at the given coordinates, and zeros elsewhere.

    Args:
        dim: Number of coordinates.
        entries: Mapping from the index of each coordinate that is not zero to its entry.
    """
    return tuple(entries.get(place, 0) for place in range(dim))
