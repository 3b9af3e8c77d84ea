"""Structure for quantized points, which are stored as small integers.

The points of a structure have parts and codebooks. A part is a list of stored vectors, called its values. A codebook is
a list of stored vectors, called its codewords. A point is stored as one integer for each part, which is the index of
one of its values, and one integer for each codebook, which is the index of one of its codewords. The class
`QuantizedPoints` describes how a point is computed from its values and codewords. All points have norm 1 by
construction.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import CertificateError, InvalidArgumentError, as_integer
from protosphere.geometry.closest_classes import (
    Values,
    closest_classes,
    has_equal_rows,
)
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.structures.plain import Plain
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress, UpperBound

LEAST_REST = 1e-3
"""Smallest squared norm of the scaled sum of codewords; rounding would change the direction of a shorter sum."""

LEAST_SUM = 1e-3
"""Smallest norm of a sum of codewords, before it is scaled."""

LEAST_SHARE = 1 / 64
"""Smallest norm of a sum of codewords, relative to the sum of their norms; float32 rounds a shorter sum too much."""

MOST_PARTS = 1 << 12
"""Largest number of parts, and also of codebooks, that a file of quantized points may state."""

MOST_ENTRIES = 1 << 24
"""Largest number of entries of all values and codewords together, which take 128 MB in float64."""

LARGEST_ENTRY = 1e6
"""Largest absolute value of an entry of a codeword."""

LARGEST_QUANTIZED_DIM = 1 << 24
"""Largest dimension that a file of quantized points may state; above it, most coordinates would be zeros."""

MOST_DENSE_ENTRIES = 1 << 28
"""Largest number of coordinates of all points for which all pairs of points are compared: 2 GB in float64."""

SEARCH_WORK = 1 << 16
"""Cost of the search for the closest pair of very many points, in multiplications per index in `values`."""

MOST_COMPARED_ENTRIES = 1 << 29
"""Largest number of coordinates that the search for the closest pair compares, which takes some seconds."""

BLOCK_ROWS = 1 << 12
"""Number of points whose norms are computed together."""


@structure("quantized")
@dataclass(frozen=True, eq=False)
class QuantizedPoints:
    """Points made of values of parts (product quantization) and of sums of codewords (residual quantization).

    There are P parts and M codebooks. A part is a matrix whose rows are vectors, called its values. A codebook has S
    vectors of R^d, called its codewords. A point has one value of each part and one codeword of each codebook. It is
    the vector (a, b, ..., s u), where a, b, ... are its values in the parts. The unit vector u is the sum of the
    codewords of the point, divided by the norm of this sum. The factor s = sqrt(1 - |a|^2 - |b|^2 - ...) gives the
    point norm 1. No two points have the same values of all parts.

    The squared distance of two points is the sum of the squared distances of their values in each part, plus the
    squared distance of their vectors s u. So if two points have different values of a part, 1 - cosine is at least half
    of the smallest squared distance of two values of this part.

    References: Jegou, Douze and Schmid, Product quantization for nearest neighbor search, 2011; Chen, Guan and Wang,
    Approximate nearest neighbor search by residual vector quantization, 2010.

    Attributes:
        parts: One matrix for each part. Its rows are the values of the part.
        codebooks: M x S x d array: the vector codebooks[c, i] is codeword i of codebook c.
        values: K x (P + M) matrix of indices. Row i has, for each part, the index of the value of point i in this part.
            Then it has, for each codebook, the index of the codeword of point i in this codebook.
        dim: Dimension n, at least the sum of the dimensions of the parts and of d. The remaining coordinates are zeros.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("quantized",)
    derived = ()
    exact_reason = ""
    separated_cosines = False
    points = None
    packed_signs = None
    cosine_step = None
    is_nested = True

    parts: tuple[Points, ...]
    codebooks: NDArray[np.float64]
    values: Values
    dim: int

    @property
    def count(self) -> int:
        """Number K of points."""
        return len(self.values)

    @property
    def own_dim(self) -> int:
        """Dimension of the points without the zeros that are appended to reach `dim`."""
        return sum(part.shape[1] for part in self.parts) + self.codebooks.shape[2]

    @cached_property
    def squared_norms(self) -> tuple[Points, ...]:
        """For each part, the squared norms of its values, in the order of the values."""
        return tuple(np.einsum("ij,ij->i", part, part) for part in self.parts)

    @property
    def work(self) -> int:
        """Approximate number of multiplications that `verified_cosine` needs.

        - If there are at most 20,000 points with at most 2^28 coordinates in all, `verified_cosine` compares all pairs.
        - Otherwise, it searches for the closest pair.
        """
        if self._has_few_pairs:
            return self.count**2 * self.own_dim // 2
        return SEARCH_WORK * self.values.size

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first point.
            stop: One past the index of the last point.
        """
        return self._rows(self.values[start:stop], self.dim)

    def _rows(self, indices: Values, dim: int) -> Points:
        rows = np.zeros((len(indices), dim))
        first = 0
        for number, part in enumerate(self.parts):
            last = first + part.shape[1]
            rows[:, first:last] = part[indices[:, number]]
            first = last
        sums = self._sums(indices)
        factors = self._factors(indices, sums)
        rows[:, first : first + sums.shape[1]] = sums * factors[:, None]
        return rows

    def factors(self, start: int, stop: int) -> NDArray[np.float64]:
        """Return the factors by which the sums of codewords of the points `start` to `stop - 1` are multiplied.

        There is one factor for each point. With this factor, the point has norm 1.

        Args:
            start: Index of the first point.
            stop: One past the index of the last point.

        Returns:
            A vector of `stop - start` factors.
        """
        factors = np.empty(stop - start)
        for first in range(start, stop, BLOCK_ROWS):
            last = min(first + BLOCK_ROWS, stop)
            indices = self.values[first:last]
            sums = self._sums(indices)
            factors[first - start : last - start] = self._factors(indices, sums)
        return factors

    def _factors(self, indices: Values, sums: Points) -> NDArray[np.float64]:
        return np.sqrt(self._remaining_squared_norms(indices)) / np.linalg.norm(
            sums, axis=1
        )

    @cached_property
    def _split_codebooks(self) -> NDArray[np.float64]:
        # A codeword is the sum of the rounded codeword and a remainder, which are stored side by side. The sum of M
        # codewords that are rounded so coarsely has no rounding error.
        largest = max(float(np.abs(self.codebooks).max()), LEAST_SUM)
        grid = 2.0 ** np.ceil(np.log2(largest * len(self.codebooks)) - 52)
        rounded = np.rint(self.codebooks / grid) * grid
        return np.concatenate([rounded, self.codebooks - rounded], axis=2)

    def _sums(self, indices: Values) -> Points:
        # exact sums of rounded codewords, plus small remainders: accurate even if the codewords nearly cancel
        width = self.codebooks.shape[2]
        sums = np.zeros((len(indices), 2 * width))
        split = enumerate(self._split_codebooks, start=len(self.parts))
        for number, codewords in split:
            sums += codewords[indices[:, number]]
        return sums[:, :width] + sums[:, width:]

    def _remaining_squared_norms(self, indices: Values) -> Points:
        # the squared norm that the scaled sum of the codewords must have
        rests = np.ones(len(indices))
        for number, squares in enumerate(self.squared_norms):
            rests -= squares[indices[:, number]]
        return rests

    def _fault(self) -> str:
        sizes = np.linalg.norm(self.codebooks, axis=2)
        for start in range(0, self.count, BLOCK_ROWS):
            values = self.values[start : start + BLOCK_ROWS]
            rest = self._remaining_squared_norms(values).min()
            if rest < LEAST_REST:
                return f"a point leaves a squared norm of {rest:.3g} to its codewords, less than {LEAST_REST:g}"
            words = values[:, len(self.parts) :]
            sums = np.zeros((len(values), self.codebooks.shape[2]))
            for number, codewords in enumerate(self.codebooks):
                sums += codewords[words[:, number]]
            norms = np.linalg.norm(sums, axis=1)
            if norms.min() < LEAST_SUM:
                return f"a sum of codewords has norm {norms.min():.3g}, less than {LEAST_SUM:g}"
            share = (norms / sizes[np.arange(len(sizes)), words].sum(axis=1)).min()
            if share < LEAST_SHARE:
                return f"codewords cancel: the norm of a sum is {share:.3g} of the sum of their norms, less than 1/64"
        return ""  # all points are valid

    def sign_rows(self) -> None:
        """Return None, because the points are not stored as signs."""

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine or an upper bound on it, and a text that says how the number was found.

        - If there are at most 20,000 points with at most 2^28 coordinates in all, all pairs of points are compared.
        - Otherwise, a search looks for the closest pair of points. If the search takes too long, it is stopped. The
          result is then an upper bound with the type `UpperBound`, which is computed from the two closest values of
          each part.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if self._has_few_pairs:
            rows = self._rows(self.values, self.own_dim)
            return Plain(rows).largest_cosine(progress)
        pair = closest_classes(
            self.values[:, : len(self.parts)],
            self._one_minus_cosines,
            self.part_distances(),
            MOST_COMPARED_ENTRIES // self.own_dim,
        )
        if not pair.found:
            bound = 1 - min(pair.distance, pair.bound)
            return UpperBound(bound), "upper bound by the closest values of each part"
        measured = min(1 - pair.distance, 1.0)
        return measured, "the closest pair, by the parts in which points differ"

    def part_distances(self) -> list[float]:
        """Return a number for each part: a lower bound on 1 - cosine of two points with different values in this part.

        If two points have different values in several parts, the sum of the numbers of these parts is a lower bound on
        1 minus the cosine of the two points.
        """
        margin = product_rounding(self.own_dim)
        return [
            max(0.0, _least_squared_distance(part) / 2 - margin) for part in self.parts
        ]

    def _one_minus_cosines(self, left: Indices, right: Indices) -> NDArray[np.float64]:
        ours = self._rows(self.values[left], self.own_dim)
        between = ours - self._rows(self.values[right], self.own_dim)
        # half of the squared distance of two unit vectors is 1 minus their cosine
        return np.einsum("ij,ij->i", between, between) / 2

    @property
    def _has_few_pairs(self) -> bool:
        few = self.count <= ALL_PAIRS_POINTS
        return few and self.count * self.own_dim <= MOST_DENSE_ENTRIES

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points. Return the maximum cosine (or an upper bound on it) and a text that says how it was found.

        An upper bound has the type `UpperBound`. It is returned if the search for the maximum cosine takes too long.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: If two points have the same values in all parts, or if `check` finds an invalid point.
        """
        self.check()
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> None:
        """Return None, because the cosines are not known exactly. The argument `progress` is not used."""

    def check(self) -> None:
        """Raise CertificateError if two points have the same values in all parts, or if a point is invalid.

        A point is invalid in three cases:

        - The squared norms of its values add up to more than 0.999.
        - The norm of the sum of its codewords is less than 0.001.
        - The norm of the sum of its codewords is less than 1/64 of the sum of their norms.
        """
        fault = self._fault()
        if fault:
            raise CertificateError(fault)
        if has_equal_rows(self.values[:, : len(self.parts)]):
            raise CertificateError("two classes have the same value of every part")

    def permuted(self, order: Indices) -> QuantizedPoints:
        """Return a structure whose point i is point order[i] of this structure.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        return replace(self, values=self.values[order])

    def padded(self, dim: int) -> QuantizedPoints:
        """Return the same points in R^dim, with zeros appended.

        Args:
            dim: Number of coordinates of the new points, at least `own_dim`.
        """
        return replace(self, dim=dim)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        - "part0_points", "part1_points", ...: one array for each part, whose rows are the values of the part.
        - "codewords": the codewords of all codebooks as rows, codebook after codebook.
        - "values": one row of indices for each point. They are the indices of its values, followed by the indices of
          its codewords.
        """
        return self.arrays()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores, by name.

        - "part0_points", "part1_points", ...: one array for each part, whose rows are the values of the part.
        - "codewords": the codewords of all codebooks as rows, codebook after codebook.
        - "values": one row of indices for each point. They are the indices of its values, followed by the indices of
          its codewords.
        """
        points = {
            f"part{number}_points": part for number, part in enumerate(self.parts)
        }
        flat = self.codebooks.reshape(-1, self.codebooks.shape[2])
        return points | {"codewords": flat, "values": self.values}

    def header(self) -> dict[str, Any]:
        """Return the header entries that a code file stores for these points, by name.

        "num_parts" is the number of parts, and "num_codebooks" is the number of codebooks.
        """
        return {"num_parts": len(self.parts), "num_codebooks": len(self.codebooks)}

    @classmethod
    def read(cls, content: Content) -> QuantizedPoints:
        """Return the points that are stored in a code file.

        The header entry "num_parts" is the number of parts, and "num_codebooks" is the number of codebooks. The arrays
        are:

        - "part0_points", "part1_points", ...: one array for each part, whose rows are the values of the part.
        - "codewords": the codewords of all codebooks as rows, codebook after codebook.
        - "values": one row of indices for each point. They are the indices of its values, followed by the indices of
          its codewords.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array is invalid, if the parts and codewords do not fit into R^n together, if a
                point cannot have norm 1, or if the codewords of a point nearly cancel each other.
        """
        num_parts = _read_count(content, "num_parts")
        num_codebooks = _read_count(content, "num_codebooks")
        if content.dim > LARGEST_QUANTIZED_DIM:
            raise InvalidArgumentError(
                f"'dim' should be at most 2^24 for quantized points, is {content.dim}"
            )
        names = [f"part{number}_points" for number in range(num_parts)]
        parts = tuple(_read_rows(content, name) for name in names)
        codewords = _read_rows(content, "codewords")
        if len(codewords) % num_codebooks:
            raise InvalidArgumentError(
                f"'codewords' should have as many rows for each of {num_codebooks} codebooks, has {len(codewords)}"
            )
        codebooks = codewords.reshape(num_codebooks, -1, codewords.shape[1])
        sizes = (*map(len, parts), *[codebooks.shape[1]] * num_codebooks)
        values = _read_values(content, sizes)
        found = QuantizedPoints(parts, codebooks, values, content.dim)
        if found.own_dim > content.dim:
            raise InvalidArgumentError(
                f"parts and codewords should fit into {content.dim} dimensions together"
            )
        if sum(part.size for part in parts) + codewords.size > MOST_ENTRIES:
            raise InvalidArgumentError(
                "parts and codewords should have at most 2^24 numbers together"
            )
        fault = found._fault()
        if fault:
            raise InvalidArgumentError(f"'values' should give unit vectors; {fault}")
        return found


def _least_squared_distance(points: Points) -> float:
    if len(points) < 2:
        return np.inf
    smallest = np.inf
    for row in range(1, len(points)):
        between = points[:row] - points[row]
        smallest = min(smallest, float(np.einsum("ij,ij->i", between, between).min()))
    return smallest


def _read_count(content: Content, name: str) -> int:
    count = as_integer(name, content.header.get(name), minimum=1)
    if count > MOST_PARTS:
        raise InvalidArgumentError(f"'{name}' should be at most 2^12, is {count}")
    return count


def _read_rows(content: Content, name: str) -> Points:
    rows = content.array(name, (None, None), np.float64)
    if not rows.size:
        raise InvalidArgumentError(f"'{name}' should not be empty")
    if not (np.abs(rows) <= LARGEST_ENTRY).all():
        raise InvalidArgumentError(
            f"'{name}' should be finite, with entries up to {LARGEST_ENTRY:g}"
        )
    return rows


def _read_values(content: Content, sizes: tuple[int, ...]) -> Values:
    dtype = np.min_scalar_type(max(sizes) - 1).type
    values = content.array("values", (content.count, len(sizes)), dtype)
    if (values.max(axis=0) >= np.array(sizes)).any():
        raise InvalidArgumentError(
            "'values' should be below the numbers of values and codewords"
        )
    return values
