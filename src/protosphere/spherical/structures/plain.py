"""Structure for points that are stored as a float64 matrix.

The cosines lie on a grid if all of them are 1 - j * step with integers j and a fixed fraction, the cosine step. If the
cosine step is known, the maximum cosine is certified exactly.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.geometry.closest_pair import DEEPEST, closest_pair_cosine
from protosphere.geometry.gram import Block, max_cosine, pair_products, point_rows
from protosphere.geometry.sphere import (
    padded,
    product_rounding,
    renormalized,
    require_unit_rows,
)
from protosphere.spherical.structures.sign_rows import SignRows, sign_rows_in
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    fraction_to_json,
    read_fraction,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress, ignore

BLOCK_ENTRIES = 1 << 16
"""Approximate number of matrix entries in a block of rows that are processed together."""

FINEST_STEP = 1 << 20
"""Largest denominator of a cosine step, so that the step is far larger than rounding errors."""


@structure("plain")
@dataclass(frozen=True, eq=False)
class Plain:
    """Points that are stored as the rows of a float64 matrix.

    If `cosine_step` is given, every cosine is 1 - j * cosine_step with an integer j (the cosines lie on a grid), and
    the maximum cosine is certified exactly. The step is known either from a theorem about the construction of the rows,
    or from the entries of the rows: if all rows have m nonzero entries of equal absolute value, the step is 1/m.

    Attributes:
        points: Unit vectors, one per row.
        cosine_step: Step of the grid of cosines; None if no step is known.
        unverified_step: Cosine step that a file states for the rows, or None. `check` compares the cosines with it, but
            certificates do not rely on it.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("axes", "simplex", "hadamard")
    """Names of the fast projections of `protosphere.nn` that may suit the points, in the order in which they are tried.
    If none of them suits, a dense matrix is used.
    """

    packed_signs = None
    """Packed signs of the points: None, because the points are stored as a matrix."""

    derived = tuple[str, ...]()
    """Names of those stored arrays that can be computed from the other stored arrays: none."""

    separated_cosines = True
    """Whether any two different cosines of such points differ by more than rounding errors."""

    is_nested = False
    """Whether for every k, the first k points are a good code, that is, have a low maximum cosine.

    This is not known of a matrix of points, so the value is False. Heads to which classes are added later may then
    change the order of the points.
    """

    points: Points
    cosine_step: Fraction | None = None
    unverified_step: Fraction | None = field(default=None, kw_only=True)
    """Cosine step that a file states for the rows. `check` compares the cosines with this step, but certificates do not
    rely on it.
    """

    @property
    def count(self) -> int:
        """Number K of points."""
        return self.points.shape[0]

    @property
    def dim(self) -> int:
        """Dimension n."""
        return self.points.shape[1]

    @property
    def work(self) -> int:
        """Approximate number of multiplications for comparing all pairs of points."""
        return self.count**2 * (self.dim + 16) // 2

    @property
    def by_nearest_neighbors(self) -> bool:
        """Whether the closest pair is found with a k-d tree instead of by comparing all pairs.

        This is the case if there are more than 20,000 points, and only the first 7 coordinates are nonzero.
        """
        return self.count > ALL_PAIRS_POINTS and not self.points[:, DEEPEST:].any()

    @property
    def exact_reason(self) -> str:
        """Text for certificates that says why the maximum cosine that `largest_cosine` returns is exact.

        It is used only if `largest_cosine` returns a Fraction.
        """
        return "cosines of such points differ by multiples of a known fraction"

    @property
    def measures_exactly(self) -> bool:
        """Whether `largest_cosine` returns the maximum cosine as a Fraction.

        This is the case if a cosine step is known and the maximum cosine is found by comparing all pairs of points.
        """
        return self.cosine_step is not None and not self.by_nearest_neighbors

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as a new float64 array.

        Args:
            start: Index of the first point.
            stop: One past the index of the last point.
        """
        return self.points[start:stop].astype(np.float64)

    def sign_rows(self) -> SignRows | None:
        """Return the points whose first L entries are +c or -c, for common numbers c > 0 and L.

        The number c is the absolute value of the first entry of the last point. L is the number of entries of this
        point before the first entry with another absolute value. L must be more than half of the dimension. If it is
        not, c and L are taken from the first point. If L is too small for this point, too, the result is None.
        """
        return sign_rows_in(self.points)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine of the points and a text that says how it was found.

        If `measures_exactly` is True, the cosine is a Fraction. Otherwise, it is a measured float.

        Args:
            progress: Function that is called with a text, the number of finished steps and the number of all steps.
        """
        if self.by_nearest_neighbors:
            coordinates = np.ascontiguousarray(self.points[:, :DEEPEST])
            nearest = closest_pair_cosine(coordinates)
            return min(nearest, 1.0), "every point's nearest neighbor, in float64"
        return self._as_exact(max_cosine(self.points, progress))

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the cosines of the points, and return their maximum cosine and a text that says how it was found.

        The check fails if a cosine is not 1 minus an integer multiple of the cosine step, up to rounding. If the points
        were read from a file that states a cosine step, this step is used, otherwise the known one. If there is no
        step, nothing is checked.

        Args:
            progress: Function that is called with a text, the number of finished steps and the number of all steps.

        Raises:
            CertificateError: If the check fails.
        """
        grid = self.unverified_step or self.cosine_step
        if grid is None or self.by_nearest_neighbors:
            self.check()
            return self.largest_cosine(progress)
        largest = -np.inf
        for products, _ in self._multiples(grid, progress):
            largest = max(largest, float(products.max(initial=-np.inf)))
        return self._as_exact(largest)

    def _as_exact(self, largest: float) -> tuple[Cosine, str]:
        if self.cosine_step is None:
            return min(largest, 1.0), "all pairs, in float64"
        exact = on_grid(largest, self.cosine_step, product_rounding(self.dim))
        return exact, "all pairs, in float64 on an exact grid"

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """Return a mapping from each cosine of two points to the number of pairs with this cosine.

        If no cosine step is known, the result is None.

        Args:
            progress: Function that is called with a text, the number of finished steps and the number of all steps.

        Raises:
            CertificateError: If a cosine is not 1 minus an integer multiple of the cosine step, up to rounding.
        """
        if self.cosine_step is None:
            return None
        totals: Counter[int] = Counter()
        for _, nearest in self._multiples(self.cosine_step, progress):
            multiples, pairs = np.unique(nearest.astype(np.int64), return_counts=True)
            totals.update(dict(zip(multiples.tolist(), pairs.tolist(), strict=True)))
        return {
            1 - multiple * self.cosine_step: pairs for multiple, pairs in totals.items()
        }

    def _multiples(
        self, grid: Fraction, progress: Progress
    ) -> Iterator[tuple[Block, Block]]:
        # For each block of pairs of points: the inner products x, and the integers j with x = 1 - j * grid up to
        # rounding.
        step = float(grid)
        rounding = product_rounding(self.dim)
        for products in pair_products(point_rows(self.points), progress):
            nearest = np.rint((1 - products) / step)
            if np.max(np.abs(1 - nearest * step - products), initial=0.0) > rounding:
                raise CertificateError(
                    f"not all cosines of the points are of the form 1 - j * {grid}"
                )
            yield products, nearest

    def check(self) -> None:
        """Raise CertificateError if a cosine is not 1 minus an integer multiple of the cosine step, up to rounding.

        If the points were read from a file that states a cosine step, this step is used, otherwise the known one. If
        there is no step, nothing is checked.
        """
        grid = self.unverified_step or self.cosine_step
        if grid is not None:
            deque(self._multiples(grid, ignore), maxlen=0)

    def permuted(self, order: Indices) -> Self:
        """Return a structure with the points order[0], order[1], and so on.

        `order` contains the indices of all points, or of a subset of the points.
        """
        return replace(self, points=self.points[order])

    def padded(self, dim: int) -> Self:
        """Return the same points in R^dim, with zeros appended. `dim` must be at least the present dimension."""
        return replace(self, points=padded(self.points, dim))

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the array that determines the points: the matrix, under the name "points"."""
        return {"points": self.points}

    arrays = point_arrays
    """Method that returns the arrays that are stored in a file: the matrix of the points."""

    def header(self) -> dict[str, Any]:
        """Return the entries of the header with which the points are saved in a file.

        There is one entry, "cosine_step". Its value is the cosine step as the text of a fraction, or None if no step is
        known. If the points were read from a file that states a cosine step, the value is this step.
        """
        return {
            "cosine_step": fraction_to_json(self.unverified_step or self.cosine_step)
        }

    @classmethod
    def read(cls, content: Content) -> Plain:
        """Return the structure of points that are read from a file, with the cosine step that the file states for them.

        The stated step becomes the attribute `unverified_step`; it is None if the file states no step. The attribute
        `cosine_step` is 1/m if all rows have m nonzero entries of equal absolute value, otherwise None.

        Args:
            content: Header and arrays of the file, with the number of points and the dimension.

        Raises:
            InvalidArgumentError: If the rows or the stated step are invalid.
        """
        points = content.array("points", (content.count, content.dim), np.float64)
        require_unit_rows(points)
        step = read_fraction("cosine_step", content.header.get("cosine_step"))
        if step is not None and not (0 < step <= 2 and step.denominator <= FINEST_STEP):
            raise InvalidArgumentError(
                f"'cosine_step' should be above 0, at most 2 and no finer than 2^-20, is {step}"
            )
        entries = equal_entries(points)
        proved = None if entries is None else Fraction(1, entries)
        return Plain(renormalized(points), proved, unverified_step=step)


def equal_entries(points: Points) -> int | None:
    """Return the number m of nonzero entries of each row, or None if the rows do not have the following form.

    All rows must have the same number m of nonzero entries, and the nonzero entries of a row must have exactly the same
    absolute value. All cosines of the rows are then multiples of 1/m.

    Args:
        points: Matrix without zero rows.
    """
    entries = int(np.count_nonzero(points[0]))
    step = max(1, BLOCK_ENTRIES // points.shape[1])
    for start in range(0, len(points), step):
        sizes = np.abs(points[start : start + step])
        nonzero = sizes > 0
        if np.any(nonzero & (sizes != sizes.max(axis=1, keepdims=True))):
            return None
        if np.any(np.count_nonzero(nonzero, axis=1) != entries):
            return None
    return entries


def on_grid(measured: float, step: Fraction, rounding: float) -> Fraction:
    """Return the fraction 1 - j * step, with an integer j, that equals a measured cosine up to rounding.

    For example, points with entries +-1/sqrt(n) have the step 2/n, and a simplex of K points has the step K/(K-1).

    Args:
        measured: Cosine measured in float64.
        step: Step of the grid of possible cosines.
        rounding: Largest allowed difference between `measured` and the fraction.

    Raises:
        CertificateError: If the difference is larger than `rounding` for every integer j.
    """
    exact = 1 - round((1 - measured) / float(step)) * step
    if abs(float(exact) - measured) > rounding:
        raise CertificateError(
            f"measured max cosine {measured!r} is not of the form 1 - j * {step}"
        )
    return exact
