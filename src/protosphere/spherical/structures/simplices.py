"""Structure for vertices of regular simplices in orthogonal subspaces.

Only the indices of the points are stored. Rows are computed on request, and cosines are known without comparing pairs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.geometry.simplex import simplex_factors
from protosphere.spherical.structures.structure import Content, structure
from protosphere.types import Cosine, Indices, Points, Progress

LARGEST_SIMPLICES_DIM = 1 << 24
"""Largest dimension that a file may state; a float64 vector of this dimension takes 128 MB.

Without this limit, a file of a few hundred bytes could state any dimension.
"""


@structure("simplices")
@dataclass(frozen=True, eq=False)
class OrthogonalSimplices:
    """Points that are vertices of regular simplices in orthogonal subspaces.

    Simplex b has sizes[b] vertices. Only sizes[b] - 1 coordinates of its vertices are nonzero, and no two simplices
    share such a coordinate. The vertices of all simplices are numbered in the order of the simplices.

    Attributes:
        sizes: Number of vertices of each simplex.
        numbers: For each class, the number of the vertex that is its point.
        dim: Dimension n.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("simplices",)
    derived = ()
    exact_reason = "cosines within a simplex of m points are -1/(m - 1), others 0"
    separated_cosines = True
    points = None
    packed_signs = None
    is_nested = True

    sizes: Indices
    numbers: Indices
    dim: int

    @property
    def count(self) -> int:
        """Number K of points."""
        return len(self.numbers)

    @property
    def cosine_step(self) -> Fraction:
        """Fraction 1/q such that every cosine is 1 minus a multiple of 1/q.

        The cosines of different points are 0, or -1 / (size - 1) for two vertices of a simplex with `size` vertices.
        The number q is the least common multiple of all numbers size - 1.
        """
        return Fraction(1, lcm(*np.unique(self.sizes - 1).tolist()))

    @property
    def work(self) -> int:
        """Approximate number of operations that `verified_cosine` needs. Pairs of points are not compared."""
        return self.count

    @cached_property
    def blocks(self) -> Indices:
        """Index of the simplex of each point."""
        return np.searchsorted(np.cumsum(self.sizes), self.numbers, side="right")

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors.

        Args:
            start: Index of the first point.
            stop: One past the index of the last point.
        """
        block = self.blocks[start:stop]
        numbers = self.numbers[start:stop]
        rows = np.zeros((len(numbers), self.dim))
        first = np.cumsum(self.sizes) - self.sizes
        size = self.sizes[block][:, None]
        which = (numbers - first[block])[:, None]
        j = np.arange(1, int(size.max(initial=1)))
        # In the coordinates j = 1, 2, ... of its simplex, vertex i = 0, 1, ... has the entry f_j if i < j, -j f_j if i
        # = j, and 0 if i > j. The numbers f_j > 0 are the factors of the simplex.
        entries = np.where(
            which < j, 1.0, np.where(which == j, -j, 0.0)
        ) * simplex_factors(size, j)
        row, column = np.nonzero((j < size) & (which <= j))
        rows[row, (first - np.arange(len(first)))[block][row] + column] = entries[
            row, column
        ]
        return rows

    def sign_rows(self) -> None:
        """Return None, because the points do not begin with entries +c and -c with one number c for all points."""

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine and a text that says how it was found.

        The cosine is an exact Fraction. It is 0 if the points are in at least two simplices. Otherwise it is -1 / (size
        - 1), where `size` is the number of vertices of their simplex.

        Args:
            progress: Not called.

        Raises:
            CertificateError: If two classes have the same point.
        """
        return max(self.spectrum(progress)), "orthogonal simplices"

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points, and return the maximum cosine and a text that says how it was found.

        Args:
            progress: Not called.

        Raises:
            CertificateError: If two classes have the same point.
        """
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine that occurs to the number of unordered pairs of points with this cosine.

        Args:
            progress: Not called.

        Raises:
            CertificateError: If two classes have the same point.
        """
        del progress
        self.check()
        present = np.bincount(self.blocks, minlength=len(self.sizes))
        pairs: Counter[Fraction] = Counter()
        for size in np.unique(self.sizes).tolist():
            of_size = present[self.sizes == size]
            pairs[Fraction(-1, size - 1)] = int((of_size * (of_size - 1) // 2).sum())
        pairs[Fraction(0)] = self.count * (self.count - 1) // 2 - pairs.total()
        return {cosine: count for cosine, count in sorted(pairs.items()) if count}

    def check(self) -> None:
        """Raise CertificateError if two classes have the same point."""
        if len(np.unique(self.numbers)) < self.count:
            raise CertificateError("some points are the same as others")

    def permuted(self, order: Indices) -> Self:
        """Return a structure with the points order[0], order[1], and so on.

        `order` may contain all indices or a subset.
        """
        return replace(self, numbers=self.numbers[order])

    def padded(self, dim: int) -> Self:
        """Return the same points in R^dim: zeros are appended to each point."""
        return replace(self, dim=dim)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays `sizes` and `numbers`, which determine the points.

        `sizes` has the number of vertices of each simplex, and `numbers` has the number of the vertex of each class.
        """
        return {"sizes": self.sizes, "numbers": self.numbers}

    arrays = point_arrays

    def header(self) -> dict[str, Any]:
        """Return an empty dictionary, because the arrays in a code file describe the points completely."""
        return {}

    @classmethod
    def read(cls, content: Content) -> OrthogonalSimplices:
        """Return the points that are stored in a code file by the arrays `sizes` and `numbers`.

        `sizes` has the number of vertices of each simplex, and `numbers` has the number of the vertex of each class.

        Args:
            content: Arrays and header of the file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array is missing or malformed, if the simplices do not fit into R^n, or if two
                classes have the same vertex.
        """
        sizes = content.array("sizes", (None,), np.int64)
        dim = content.dim
        if dim > LARGEST_SIMPLICES_DIM:
            raise InvalidArgumentError(
                f"'dim' should be at most 2^24 for simplices, is {dim}"
            )
        if (
            not len(sizes)
            or sizes.min() < 2
            or sizes.max() > dim + 1
            or int((sizes - 1).sum()) > dim
        ):
            raise InvalidArgumentError(
                f"'sizes' should be of simplices that fit into {dim} dimensions together"
            )
        numbers = content.numbers("numbers", int(sizes.sum()))
        if len(np.unique(numbers)) < len(numbers):
            raise InvalidArgumentError("'numbers' should have no number twice")
        return OrthogonalSimplices(sizes, numbers, dim)
