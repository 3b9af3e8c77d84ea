"""Shells of laminated and Coxeter-Todd lattices: all lattice vectors at given distances from a center.

The points of a code are the unit vectors from the center toward the lattice vectors. Let m be the minimum squared norm
of the lattice. If x and y are two lattice vectors at distances a <= b from the center, the cosine of their directions
is at most (a^2 + b^2 - m) / 2ab. If all distances are between r - m/r and r, this bound is at most 1 - m/(2r^2), its
value for a = b = r. So the upper bound on the maximum cosine of a shell does not increase if the shells just inside it
are added.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.gram_matrices import LEAST_NORM, gram_matrix
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.geometry.close_vectors import cholesky_factor, close_vectors
from protosphere.geometry.lattice_coset import LatticeCoset
from protosphere.spherical.structures import LatticePoints
from protosphere.tables.table_files import read_known_table, shipped_file
from protosphere.types import Points

NORM = r"\d{1,5}(?:/\d{1,5})?"
ID = re.compile(
    rf"(\w{{1,20}})-(\d{{1,2}}):(?:({NORM})\.\.)?({NORM}):(\d+(?:,\d+)*)/(\d{{1,3}})"
)
"""Pattern of the ids of shells, such as 'laminated-4:4:0,0,0,0/1', which `shells_named` reads."""

LARGEST_SQUARED_RADIUS = 70
"""Largest squared distance from a center. In nine dimensions, thirty million lattice vectors are within it."""


@dataclass(frozen=True)
class ShellRow:
    """Row of the shipped table of shells.

    Attributes:
        lattice: Kind of lattice: 'laminated' for Lambda_n, or 'coxeter_todd' for K11, K12 and K13.
        dim: Dimension of the lattice.
        inner: Smallest squared distance of the vectors from the center, as the text of a fraction.
        outer: Largest squared distance of the vectors from the center, as the text of a fraction.
        center: Coefficients of the center in the basis of the lattice, times `denominator`, separated by spaces.
        denominator: Common denominator of the coefficients of the center.
        size: Number of lattice vectors whose squared distances from the center are between `inner` and `outer`.
    """

    lattice: str
    dim: int
    inner: str
    outer: str
    center: str
    denominator: int
    size: int

    @property
    def id(self) -> str:
        """Identifier of the shells, such as 'laminated-4:4:0,0,0,0/1'.

        It has the form LATTICE-DIM:INNER..OUTER:CENTER/DENOMINATOR, with the attributes of the row. If `inner` and
        `outer` are equal, the text contains only one of them and no dots. Commas separate the coefficients of the
        center. The example has the vectors of the laminated lattice of dimension 4 at squared distance 4 from the
        origin.
        """
        radii = self.outer
        if self.inner != self.outer:
            radii = f"{self.inner}..{self.outer}"
        center = self.center.replace(" ", ",")
        return f"{self.lattice}-{self.dim}:{radii}:{center}/{self.denominator}"


@dataclass(frozen=True)
class Shells:
    """Vectors of a lattice whose squared distances from a center are in a given range.

    Attributes:
        lattice: Kind of lattice: 'laminated' for Lambda_n, or 'coxeter_todd' for K11, K12 and K13.
        dim: Dimension of the lattice.
        inner: Smallest squared distance of the vectors from the center.
        outer: Largest squared distance of the vectors from the center.
        center: Coefficients of the center in the basis of the lattice, times `denominator`.
        denominator: Common denominator of the coefficients of the center.
    """

    lattice: str
    dim: int
    inner: Fraction
    outer: Fraction
    center: tuple[int, ...]
    denominator: int

    @property
    def max_cosine(self) -> Fraction:
        """Upper bound 1 - m/(2r^2) on the maximum cosine of the directions from the center to the vectors.

        Here m = 4 is the smallest squared norm of a nonzero lattice vector, and r^2 is `outer`.
        """
        return 1 - LEAST_NORM / (2 * self.outer)

    @property
    def description(self) -> str:
        """Text that names the lattice, the squared distances and the center."""
        radii = str(self.outer)
        if self.inner != self.outer:
            radii = f"{self.inner} to {self.outer}"
        center = " ".join(map(str, self.center))
        return f"{self.lattice} lattice {self.dim}, {radii} from ({center})/{self.denominator}"

    def structure(self, count: int) -> LatticePoints:
        """Return the unit vectors from the center toward the first `count` lattice vectors.

        The lattice vectors are ordered by their coefficients in the basis of the lattice: first by the last
        coefficient, then by the second to last, and so on.

        Args:
            count: Number of points.

        Raises:
            InvalidArgumentError: If the shells have fewer than `count` lattice vectors.
        """
        factor = self._factor
        points = np.empty((count, self.dim))
        norms = np.empty((count, 1))
        filled = 0
        for coefficients, squares in self._blocks():
            rows = slice(filled, filled + len(squares))
            norms[rows, 0] = squares[: count - filled]
            points[rows] = _matrix_product(
                coefficients[: count - filled], factor
            ) / np.sqrt(norms[rows])
            filled = min(count, rows.stop)
            if filled == count:
                break
        if filled < count:
            raise InvalidArgumentError(
                f"'num_classes' must be at most {filled} for these shells, got {brief(count)}"
            )
        theorem = f"the {self.lattice} lattice of dimension {self.dim} has least norm {LEAST_NORM}"
        coset = LatticeCoset(
            factor / np.sqrt(float(self.outer)), LEAST_NORM / self.outer, theorem
        )
        if self.inner == self.outer:
            return LatticePoints(
                points, 1 / self.outer, lattice=coset
            )  # norms of the lattice are even
        return LatticePoints(
            points, lattice=coset, lengths=np.sqrt(norms / float(self.outer))
        )

    def sizes(self) -> dict[Fraction, int]:
        """Count the lattice vectors of the shells by enumerating them.

        Returns:
            A mapping from each squared distance from the center to the number of lattice vectors at this distance.
        """
        parts = self.denominator**2
        found = Counter[int]()
        for _, squares in self._blocks():
            found.update(np.rint(squares * parts).astype(np.int64).tolist())
        return {Fraction(norm, parts): found[norm] for norm in sorted(found)}

    @cached_property
    def _factor(self) -> Points:
        return cholesky_factor(gram_matrix(self.lattice, self.dim))

    def _blocks(self) -> Iterator[tuple[Points, Points]]:
        parts = self.denominator**2
        for found, lengths in close_vectors(
            self._factor, np.array(self.center) / self.denominator, float(self.outer)
        ):
            norms = np.rint(lengths * parts)
            kept = (
                (norms > 0)
                & (norms >= float(self.inner * parts))
                & (norms <= float(self.outer * parts))
            )
            # Vectors from the center as rows of coefficients in the basis of the lattice, and their squared norms.
            yield found[kept], norms[kept] / parts


def _matrix_product(coefficients: Points, factor: Points) -> Points:
    # The additions have a fixed order, so that the result has the same bits on every machine.
    columns = np.ascontiguousarray(coefficients.T)
    found = np.zeros(coefficients.T.shape)
    for i, row in enumerate(factor.tolist()):
        for j in range(i + 1):
            found[j] += row[j] * columns[i]
    return found.T


def shells_named(dim: int, id: str) -> Shells:
    """Return the shells that an id describes, which need not be in the shipped table.

    An id has the form LATTICE-DIM:INNER..OUTER:CENTER/DENOMINATOR, such as 'laminated-4:4:0,0,0,0/1':

    - LATTICE is 'laminated' or 'coxeter_todd', and DIM is the dimension.
    - INNER and OUTER are the smallest and the largest squared distance from the center. If they are equal, the id has
      only one of them and no dots.
    - CENTER has the coefficients of the center in the basis of the lattice, times DENOMINATOR, separated by commas.

    The example has the vectors of the laminated lattice of dimension 4 at squared distance 4 from the origin.

    Args:
        dim: Dimension of the lattice.
        id: Identifier of the shells.

    Raises:
        InvalidArgumentError: If the id has another form, names another dimension or an unknown lattice, or has a center
            or distances outside of the range that the message states.

    >>> shells_named(4, "laminated-4:4:0,0,0,0/1").sizes()  # the root system D4
    {Fraction(4, 1): 24}
    """
    read = ID.fullmatch(id)
    if read is None or int(read[2]) != dim or len(_coefficients(read[5])) != dim:
        raise InvalidArgumentError(
            f"'member' must describe shells of a lattice of dimension {dim}, got {brief(id)}"
        )
    center = _coefficients(read[5])
    denominator = int(read[6])
    gram_matrix(read[1], dim)
    try:
        inner = Fraction(read[3] or read[4])
        outer = Fraction(read[4])
    except ZeroDivisionError:
        inner = outer = Fraction(0)
    limit = 2 if denominator == 1 else denominator
    if denominator == 0:
        raise InvalidArgumentError(
            f"'member' must have a center with a denominator from 1, got {brief(id)}"
        )
    if max(center) >= limit:
        raise InvalidArgumentError(
            f"'member' must have a center of integers from 0 to {limit - 1} over {denominator}, got {brief(id)}"
        )
    reaches = 0 < inner <= outer <= LARGEST_SQUARED_RADIUS
    in_annulus = (
        outer <= LEAST_NORM or inner * outer >= (outer - LEAST_NORM) ** 2
    )  # as squares, which are rational
    if not reaches or not in_annulus:
        raise InvalidArgumentError(
            f"'member' must have distances from r - {LEAST_NORM}/r to r, with r^2 up to {LARGEST_SQUARED_RADIUS}, "
            f"got {brief(id)}"
        )
    return Shells(read[1], dim, inner, outer, center, denominator)


def _coefficients(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _named(dim: int, id: str, size: int = 0) -> Member:
    shells = shells_named(dim, id)
    return Member(
        dim=dim,
        size=size,
        max_cosine=shells.max_cosine,
        id=id,
        description=shells.description,
        structure=shells.structure,
    )


@family(
    summary="shells of laminated and Coxeter-Todd lattices around points and holes, n = 9 to 24, K up to 10^7",
    reference="Conway & Sloane, SPLAG, chapters 4 and 6; Fincke & Pohst (1985) for the enumeration",
    named=_named,
    traits=Traits(closed_form=True, quick_certificate=True),
)
def lattice_shell() -> Iterator[Member]:
    """Yield codes of unit vectors from a center toward lattice vectors.

    The lattices are the laminated lattices Lambda_n and the Coxeter-Todd lattices K11, K12 and K13. A code has the
    directions to the lattice vectors of one shell or of several neighboring shells around its center. Let r be the
    radius of the largest of these shells, and m the minimum squared norm of the lattice. All radii are between r - m/r
    and r, and the maximum cosine is at most 1 - m/(2r^2).

    The centers are lattice points, vectors of the dual lattice, and halves of vectors of the dual lattice. Many of them
    are holes, which are points that are locally farthest from the lattice.
    """
    with shipped_file("lattice_shells.csv") as path:
        rows = read_known_table(path, ShellRow, lambda row: row.size > 1)
    return (_named(row.dim, row.id, row.size) for row in rows)
