"""Dense points with no structure but, perhaps, a grid that their cosines lie on."""

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
"""Entries of rows that are looked at together."""

FINEST_STEP = 1 << 20
"""The largest denominator of a step: grids stay far coarser than rounding."""


@structure("plain")
@dataclass(frozen=True, eq=False)
class Plain:
    """Dense unit rows; with `cosine_step`, where every cosine is 1 - j * cosine_step, they are certified exactly.

    That they are is a theorem of the construction that made the rows, or follows from the rows (`equal_entries`).

    What this one answers, every structure does: K points of R^n, and everything that follows from the form they have.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("axes", "simplex", "hadamard")
    """Those of `nn.projections` that may serve the points, in the order they are tried, before a matrix."""

    packed_signs = None
    """The points as packed words, where all of them are +-1/sqrt(n) words and nothing else."""

    derived = tuple[str, ...]()
    """The arrays for the file that its others give back: `read` does without them."""

    is_chain = False
    """Whether the first points are good codes themselves: then growing heads leave them in their order."""

    points: Points
    cosine_step: Fraction | None = None
    unverified_step: Fraction | None = field(default=None, kw_only=True)
    """The grid that a file gives for the rows: `check` compares it, and nothing is certified by it."""

    @property
    def count(self) -> int:
        """K."""
        return self.points.shape[0]

    @property
    def dim(self) -> int:
        """n."""
        return self.points.shape[1]

    @property
    def work(self) -> int:
        """About how many multiplications `check` and `largest_cosine` take: all pairs."""
        return self.count**2 * (self.dim + 16) // 2

    @property
    def by_nearest_neighbors(self) -> bool:
        """Whether many points lie in so few dimensions that a tree finds the closest pair."""
        return self.count > ALL_PAIRS_POINTS and not self.points[:, DEEPEST:].any()

    @property
    def measures_exactly(self) -> bool:
        """Whether `largest_cosine` is a fraction, because the cosines lie on a grid."""
        return self.cosine_step is not None and not self.by_nearest_neighbors

    def unit_rows(self, start: int, stop: int) -> Points:
        """Points `start` to `stop` as float64 unit vectors: copies of the rows."""
        return self.points[start:stop].astype(np.float64)

    def sign_rows(self) -> SignRows | None:
        """The points that are signs times a number, with or without a glue vector: rows that begin with signs."""
        return sign_rows_in(self.points)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """The largest of all pairs, a fraction where it is exact, and in words how it was found."""
        if self.by_nearest_neighbors:
            coordinates = np.ascontiguousarray(self.points[:, :DEEPEST])
            nearest = closest_pair_cosine(coordinates)
            return min(nearest, 1.0), "every point's nearest neighbor, in float64"
        return self._as_exact(max_cosine(self.points, progress))

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """What `check` and then `largest_cosine` give, every pair measured once."""
        grid = self.unverified_step or self.cosine_step
        if grid is None or self.by_nearest_neighbors:
            self.check()
            return self.largest_cosine(progress)
        largest = -np.inf
        for products, _ in self._multiples(grid, progress):
            largest = max(largest, float(products.max(initial=-np.inf)))
        return self._as_exact(largest)

    def _as_exact(self, largest: float) -> tuple[Cosine, str]:
        """The largest inner product of all pairs as a fraction where the cosines lie on a grid."""
        if self.cosine_step is None:
            return min(largest, 1.0), "all pairs, in float64"
        exact = on_grid(largest, self.cosine_step, product_rounding(self.dim))
        return exact, "all pairs, in float64 on an exact grid"

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """How many pairs have each cosine, None without a grid; CertificateError where a cosine is not on it."""
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
        """Inner products of all pairs and the integers j of 1 - j * grid; CertificateError where one is off."""
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
        """CertificateError unless the points are what is said of them: on the grid, where there is one.

        They are compared to within rounding, which proves no cosine.
        """
        grid = self.unverified_step or self.cosine_step
        if grid is not None:
            deque(self._multiples(grid, ignore), maxlen=0)

    def permuted(self, order: Indices) -> Self:
        """The points number order[0], order[1], ...: all of them in another order, or some alone."""
        return replace(self, points=self.points[order])

    def padded(self, dim: int) -> Self:
        """The same points in R^dim, zeros appended: no cosine changes."""
        return replace(self, points=padded(self.points, dim))

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that fix the points by themselves, which a digest of the points is taken over: the rows."""
        return {"points": self.points}

    arrays = point_arrays
    """Those for the file."""

    def header(self) -> dict[str, Any]:
        """What the file's description says beside the arrays, as JSON: the grid."""
        return {
            "cosine_step": fraction_to_json(self.unverified_step or self.cosine_step)
        }

    @classmethod
    def read(cls, content: Content) -> Plain:
        """The structure again from what a file holds; InvalidArgumentError says what is wrong with rows or grid."""
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
    """The number m of nonzero entries of each row, where they are of one absolute value within the row; None otherwise.

    Then, and whatever the rounding of that value, each row has the direction of a vector of 0 and +-1, and all cosines
    are multiples of 1/m.
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
    """The fraction 1 - j * step (j an integer) that `measured` is, up to rounding; CertificateError where it is none.

    Words of +-1/sqrt(n) have step 2/n, a simplex of K points K/(K-1).
    """
    exact = 1 - round((1 - measured) / float(step)) * step
    if abs(float(exact) - measured) > rounding:
        raise CertificateError(
            f"measured max cosine {measured!r} is not of the form 1 - j * {step}"
        )
    return exact
