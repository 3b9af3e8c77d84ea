"""Structure for vertices of regular simplices in orthogonal subspaces.

A regular simplex is a set of points of which all pairs have the same cosine, -1 / (size - 1), where `size` is the
number of its points, called vertices. The simplices are arranged in a list. The index of a vertex counts through the
vertices of all simplices of the list, starting from 0. Only the indices of the points are stored. Coordinates are
computed on request, and cosines are known without comparing pairs.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
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

    Simplex b has sizes[b] vertices. They lie in a subspace of sizes[b] - 1 coordinates, and no two simplices share a
    coordinate. The index of a vertex counts through all simplices, from 0: first the vertices of simplex 0, then those
    of simplex 1, and so on.

    Attributes:
        sizes: For each simplex, how many vertices it has.
        numbers: For each of the K points, the index of its vertex among the vertices of all simplices.
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
        """Cosine step 1/q: every cosine of two points is 1 - j / q with an integer j.

        The number q is the least common multiple of all numbers size - 1, where `size` is the number of vertices of a
        simplex.
        """
        return Fraction(1, lcm(*np.unique(self.sizes - 1).tolist()))

    @property
    def work(self) -> int:
        """Approximate number of operations that `verified_cosine` needs, which is K."""
        return self.count

    @cached_property
    def blocks(self) -> Indices:
        """For each of the K points, the index of its simplex."""
        return np.searchsorted(np.cumsum(self.sizes), self.numbers, side="right")

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
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
        """Return None, because the points are not stored as signs."""

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine as an exact Fraction, and a text that says how it was found.

        - If the points are vertices of at least two simplices, the maximum cosine is 0.
        - If all points are vertices of one simplex, it is -1 / (size - 1), where `size` is the number of its vertices.

        Args:
            progress: Not called.

        Raises:
            CertificateError: If two classes have the same point.
        """
        return max(self.spectrum(progress)), "orthogonal simplices"

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points, and return the maximum cosine as an exact Fraction and a text that says how it was found.

        Args:
            progress: Not called.

        Raises:
            CertificateError: If two classes have the same point.
        """
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int]:
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order.

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
        """Return a structure whose point i is point order[i] of this structure.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        return replace(self, numbers=self.numbers[order])

    def padded(self, dim: int) -> Self:
        """Return the same points with zeros appended.

        Args:
            dim: Number of coordinates of the new points, at least the present number.
        """
        return replace(self, dim=dim)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        - "sizes": for each simplex, how many vertices it has.
        - "numbers": for each of the K points, the index of its vertex among the vertices of all simplices, from 0.
        """
        return {"sizes": self.sizes, "numbers": self.numbers}

    arrays = point_arrays

    def header(self) -> dict[str, Any]:
        """Return an empty dictionary, because the header of a code file needs no entries for these points."""
        return {}

    @classmethod
    def read(cls, content: Content) -> OrthogonalSimplices:
        """Return the points that are stored in a code file as two arrays.

        - "sizes": for each simplex, how many vertices it has.
        - "numbers": for each of the K points, the index of its vertex among the vertices of all simplices, from 0.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

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
