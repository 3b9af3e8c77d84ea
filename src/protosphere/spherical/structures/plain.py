"""Structure for points that are stored as a float64 matrix.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.

If a cosine step is known, the maximum cosine is certified exactly, because rounding errors are far smaller than the
step.
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

    Attributes:
        points: Unit vectors, one per row.
        cosine_step: Proved fraction c such that every cosine of two points is 1 - j c with an integer j. It comes from
            a theorem about the construction of the points, or from their entries: if all points have m nonzero entries
            of equal absolute value, it is 1/m. The maximum cosine is then certified exactly. None if no such fraction
            is known.
        unverified_step: Such a fraction that a code file states for the points. The method `check` compares the cosines
            with it, but certificates do not rely on it. None if no file has stated one.
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
        """Whether the maximum cosine is found with a k-d tree instead of by comparing all pairs.

        The value is True if there are more than 20,000 points, and only their first 7 coordinates are nonzero.
        """
        return self.count > ALL_PAIRS_POINTS and not self.points[:, DEEPEST:].any()

    @property
    def exact_reason(self) -> str:
        """Text that says why the maximum cosine is exact, for use if `largest_cosine` returns a Fraction.

        Certificates have this text as the attribute `reason`.
        """
        return "cosines of such points differ by multiples of a known fraction"

    @property
    def measures_exactly(self) -> bool:
        """Whether `largest_cosine` returns an exact Fraction. If not, it returns a measured float.

        The value is True if `cosine_step` is not None and `by_nearest_neighbors` is False.
        """
        return self.cosine_step is not None and not self.by_nearest_neighbors

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as a new float64 array, one point per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        return self.points[start:stop].astype(np.float64)

    def sign_rows(self) -> SignRows | None:
        """Return those points whose first L entries are +c or -c, for a common number c > 0 and a common length L.

        The last point is tried first: c is the absolute value of its first entry, and L is the number of its leading
        entries with this absolute value. If c is 0, or if L is at most half of the dimension, c and L are taken from
        the first point in the same way. If this fails too, the result is None.
        """
        return sign_rows_in(self.points)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine of the points and a text that says how it was found.

        If `measures_exactly` is True, the cosine is a Fraction. Otherwise, it is a measured float.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if self.by_nearest_neighbors:
            coordinates = np.ascontiguousarray(self.points[:, :DEEPEST])
            nearest = closest_pair_cosine(coordinates)
            return min(nearest, 1.0), "every point's nearest neighbor, in float64"
        return self._as_exact(max_cosine(self.points, progress))

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the cosines of the points, and return their maximum cosine and a text that says how it was found.

        The check uses `unverified_step`, the cosine step that a code file states, or `cosine_step` if the former is
        None. It fails if a cosine is not 1 minus an integer multiple of the step, up to rounding. If both are None,
        nothing is checked.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

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
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order. If `cosine_step` is None, the result is None.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

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

        The step is `unverified_step`, which a code file states, or `cosine_step` if the former is None. If both are
        None, nothing is checked.
        """
        grid = self.unverified_step or self.cosine_step
        if grid is not None:
            deque(self._multiples(grid, ignore), maxlen=0)

    def permuted(self, order: Indices) -> Self:
        """Return a structure whose point i is point order[i] of this structure.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        return replace(self, points=self.points[order])

    def padded(self, dim: int) -> Self:
        """Return the same points with zeros appended.

        Args:
            dim: Number of coordinates of the new points, at least the present number.
        """
        return replace(self, points=padded(self.points, dim))

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the array that determines the points, by name: the matrix with the name "points"."""
        return {"points": self.points}

    arrays = point_arrays
    """Method that returns the arrays that are stored in a file: the matrix of the points."""

    def header(self) -> dict[str, Any]:
        """Return the header entry that a code file stores for these points, by name.

        It is "cosine_step": the attribute `unverified_step`, or `cosine_step` if the former is None, as the text of a
        fraction. If both are None, its value is None.
        """
        return {
            "cosine_step": fraction_to_json(self.unverified_step or self.cosine_step)
        }

    @classmethod
    def read(cls, content: Content) -> Plain:
        """Return the structure of the points that a code file stores.

        The array "points" of the file has one unit vector per row. The header entry "cosine_step" states a cosine step
        of the points. It becomes the attribute `unverified_step`, which is None if the file states no step. The
        attribute `cosine_step` of the result is 1/m if all rows have m nonzero entries of equal absolute value,
        otherwise None.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

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
    """Return the number m of nonzero entries that each row has, if the rows have a special form, otherwise None.

    The form is this: all rows have the same number m of nonzero entries, and the nonzero entries of a row have exactly
    the same absolute value. If the rows are unit vectors, all their cosines are then multiples of 1/m.

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

    For example, all cosines of points with entries +-1/sqrt(n) have this form with the step 2/n. All cosines of a
    simplex of K points have this form with the step K / (K - 1).

    Args:
        measured: Cosine measured in float64.
        step: The fraction `step`.
        rounding: Largest allowed difference between `measured` and the returned fraction.

    Raises:
        CertificateError: If the difference is larger than `rounding` for every integer j.
    """
    exact = 1 - round((1 - measured) / float(step)) * step
    if abs(float(exact) - measured) > rounding:
        raise CertificateError(
            f"measured max cosine {measured!r} is not of the form 1 - j * {step}"
        )
    return exact
