"""Structure for classes made of parts.

Each class has a value in every part, for example a color and a shape. Each value of a part is represented by a point,
which is a unit vector. The point of a class concatenates the points of its values, each multiplied by the square root
of the share of the part. The share is the weight of the part in the cosine of two classes. A part may have more points
than values: a value is in use if classes may have it, and the other points are reserved for values that are added
later.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm, prod
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import (
    CertificateError,
    InvalidArgumentError,
    as_integer,
    as_positive,
    brief,
)
from protosphere.geometry.closest_classes import (
    Values,
    closest_classes,
    has_equal_rows,
    pair_distances,
)
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.part_names import PartNames, read_part_names
from protosphere.spherical.structures.plain import FINEST_STEP, Plain, on_grid
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    Structure,
    fraction_to_json,
    read_fraction,
    read_structure,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress, UpperBound, ignore

MOST_PART_ENTRIES = 1 << 24
"""Largest number of entries of the points of all parts together, which are kept in memory as float64 (128 MB)."""

LARGEST_PRODUCT_DIM = 1 << 24
"""Largest dimension that a file of product points may state; above it, most coordinates would be appended zeros."""

MOST_DENSE_ENTRIES = 1 << 28
"""Largest number of entries, K times n, for which all pairs of classes are compared as float64 rows (2 GB)."""

MOST_COSINES = 1 << 16
"""Largest number of different cosines for which the pairs of all combinations are counted by cosine."""

LONGEST_DENOMINATOR = 10**17
"""Largest denominator of an exact cosine; a cosine with a larger denominator becomes a float.

Files store only fractions of at most 18 digits.
"""

SEARCH_WORK = 1 << 10
"""Approximate number of multiplications per class and part of the search for the closest pair of very many classes."""

LAST_BITS = 2.0**-49
"""Largest difference of a sum of shares from 1 that is not corrected, so that reading a file gives the same bits again.

It is less than the rounding error that certificates allow for the norms of points.
"""

SHARE_ROUNDING = 1e-12
"""Largest difference from 1 of a sum of floating-point shares; shares with a larger difference are refused."""


@structure("product")
@dataclass(frozen=True, eq=False)
class ProductPoints:
    """Points of classes that are made of parts.

    Each class has a value in every part (for example, a color and a shape), and each value is represented by a point.
    The point of a class is (sqrt(shares[0]) a, sqrt(shares[1]) b, ...), where a is the point of the value that the
    class has in the first part, b the point of its value in the second part, and so on. If `dim` is larger than the
    dimensions of all parts together, zeros are appended.

    The cosine of two classes is the sum over all parts of share * c, where c is the cosine between the points of their
    values in this part. If every combination of values is a class, two classes with the maximum cosine differ in one
    part only. Two classes that differ only in one part have a cosine of at most 1 - share * (1 - mu), where mu is the
    maximum cosine of the points of this part.

    Attributes:
        parts: One structure for each part, which stores the points of its values. The first sizes[p] points of part p
            represent the values in use. The other points are reserved for values that are added later.
        sizes: For each part, how many of its values are in use.
        shares: Share (weight) of each part in the cosine. The shares are positive and sum to 1. A Fraction is exact, a
            float is not.
        values: K x P matrix of indices: entry (i, p) is the index of the value that class i has in part p. None means
            that every combination of values is a class. The classes are then ordered by the value in the first part,
            then by the value in the second part, and so on.
        dim: Dimension n, at least the sum of the parts' dimensions.
        names: Names of the parts, the values and the classes. None if they have no names.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("parts",)
    derived = ()
    exact_reason = "it is the weighted mean of exact cosines of the parts"
    separated_cosines = False
    """Whether any two different cosines differ by more than rounding errors: False, as shares may be nearly equal."""

    points = None
    packed_signs = None
    is_nested = True

    parts: tuple[Structure, ...]
    sizes: tuple[int, ...]
    shares: tuple[Cosine, ...]
    values: Values | None
    dim: int
    names: PartNames | None = field(default=None, kw_only=True)

    @property
    def count(self) -> int:
        """Number K of classes."""
        return prod(self.sizes) if self.values is None else len(self.values)

    @property
    def num_parts(self) -> int:
        """Number P of parts."""
        return len(self.parts)

    @cached_property
    def part_points(self) -> tuple[Points, ...]:
        """For each part, a float64 matrix with the points of the values in use, one unit vector per row."""
        in_use = zip(self.parts, self.sizes, strict=True)
        return tuple(part.unit_rows(0, size) for part, size in in_use)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """For each part, the square root of its share, by which the points of the part are multiplied."""
        return np.sqrt([float(share) for share in self.shares])

    @cached_property
    def has_all_combinations(self) -> bool:
        """Whether every combination of values in use is a class.

        The order of the classes does not matter.
        """
        if self.values is None:
            return True
        return self.count == prod(self.sizes) and not has_equal_rows(self.values)

    @property
    def cosine_step(self) -> Fraction | None:
        """Cosine step: a fraction c such that every cosine of two classes is 1 - j c with an integer j, or None.

        The value is None in three cases: a share is a float, a part has no known cosine step, or the denominator of c
        is above 2^20 (`FINEST_STEP`).
        """
        steps: list[Fraction] = []
        for part, share in zip(self.parts, self.shares, strict=True):
            step = part.cosine_step
            if step is None or not isinstance(share, Fraction):
                return None
            steps.append(step * share)
        numerators = [step.numerator for step in steps]
        denominators = [step.denominator for step in steps]
        common = lcm(*denominators)
        scaled = map(
            lambda above, below: above * (common // below), numerators, denominators
        )
        divisor = Fraction(gcd(*scaled), common)
        return divisor if divisor.denominator <= FINEST_STEP else None

    @property
    def work(self) -> int:
        """Approximate number of multiplications that `verified_cosine` needs."""
        parts = sum(part.work for part in self.parts)
        if self.values is None or self.count == prod(self.sizes):
            return parts
        if self._has_few_pairs:
            return parts + self.count**2 * self._dim_of_parts // 2
        return parts + SEARCH_WORK * self.values.size

    def class_values(self, start: int, stop: int) -> Values:
        """Return the values of the classes `start` to `stop - 1` as a matrix of indices.

        Entry (i, p) is the index of the value that class start + i has in part p.

        Args:
            start: Index of the first class.
            stop: One past the index of the last class.
        """
        if self.values is not None:
            return self.values[start:stop]
        return self._combinations(np.arange(start, min(stop, self.count)))

    def _combinations(self, numbers: Indices) -> Values:
        # in the order that the attribute `values` describes
        columns = np.unravel_index(numbers, self.sizes)
        return np.stack(columns, axis=1).astype(value_type(self.sizes))

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return the points of the classes `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first class.
            stop: One past the index of the last class.
        """
        values = self.class_values(start, stop)
        rows = np.zeros((len(values), self.dim))
        first = 0
        for part, points in enumerate(self.part_points):
            last = first + points.shape[1]
            rows[:, first:last] = self.weights[part] * points[values[:, part]]
            first = last
        return rows

    def sign_rows(self) -> None:
        """Return None, because the points are not stored as signs."""

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine or an upper bound on it, and a text that says how the number was found.

        - If every combination of values is a class, the maximum cosine is computed from the maximum cosines of the
          parts. If only an upper bound on the maximum cosine of a part is known, the result is an `UpperBound`.
        - If not, and there are at most 20,000 classes whose points take at most 2 GB, all pairs of classes are
          compared.
        - In all other cases, a search looks for the two classes with the maximum cosine. If the search takes too long,
          it is stopped, and the result is an `UpperBound`.

        An `UpperBound` is a float that is at least the maximum cosine, and may be larger.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        cosines = self._part_cosines()
        bounded = any(isinstance(cosine, UpperBound) for cosine in cosines)
        distances = [
            share * (1 - cosine)
            for share, cosine in zip(self.shares, cosines, strict=True)
        ]
        if self.has_all_combinations:
            differing = [
                distance
                for distance, size in zip(distances, self.sizes, strict=True)
                if size > 1
            ]
            largest = _readable(1 - min(differing))
            found = UpperBound(largest) if bounded else largest
            return found, "the largest cosine of each part"
        if self._has_few_pairs:
            return self._dense().largest_cosine(progress)
        return self._searched([float(distance) for distance in distances])

    def _part_cosines(self) -> list[Cosine]:
        found: list[Cosine] = []
        for part, size in zip(self.parts, self.sizes, strict=True):
            if size == 1:
                found.append(Fraction(-1))  # there is no pair of values in use
                continue
            whole = size == part.count
            used = part if whole else part.permuted(np.arange(size))
            found.append(used.largest_cosine(ignore)[0])
        return found

    def _searched(self, distances: list[float]) -> tuple[Cosine, str]:
        # distances[p] is a lower bound on 1 - cosine for two classes with different values of part p
        shares = [float(share) for share in self.shares]
        values = self.class_values(0, self.count)

        def of_pairs(left: Indices, right: Indices) -> NDArray[np.float64]:
            return pair_distances(values[left], values[right], self.part_points, shares)

        pair = closest_classes(values, of_pairs, distances)
        if not pair.found:
            bound = UpperBound(1 - min(pair.distance, pair.bound))
            return bound, "upper bound by the largest cosine of each part"
        measured = min(1 - pair.distance, 1.0)
        method = "the closest pair, by the parts in which classes differ"
        if self.cosine_step is None:
            return measured, method
        return on_grid(measured, self.cosine_step, product_rounding(self.dim)), method

    @property
    def _dim_of_parts(self) -> int:
        return sum(part.dim for part in self.parts)

    @property
    def _has_few_pairs(self) -> bool:
        few = self.count <= ALL_PAIRS_POINTS
        return few and self.count * self._dim_of_parts <= MOST_DENSE_ENTRIES

    def _dense(self) -> Plain:
        own = replace(self, dim=self._dim_of_parts)  # without the appended zeros
        return Plain(own.unit_rows(0, self.count), self.cosine_step)

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points. Return the maximum cosine (or an upper bound on it) and a text that says how it was found.

        An upper bound has the type `UpperBound`. It is returned if the search for the maximum cosine takes too long, or
        if only an upper bound on the maximum cosine of a part is known.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: If two classes have the same values in all parts, or if the structure of a part finds a
                fault in its points.
        """
        self.check()
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """Return a mapping from each cosine that occurs to the number of pairs of classes with this cosine, or None.

        A pair is counted once, whatever its order.

        - If every combination of values is a class, the pairs are counted part by part. The result is None if a share
          or the cosines of a part are not known exactly, or if there are more than 65,536 different cosines.
        - Otherwise, all pairs are compared. The result is None if `cosine_step` is None.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if not self.has_all_combinations:
            return self._dense().spectrum(progress)
        ordered = Counter({Fraction(1): 1})
        for part, size, share in zip(self.parts, self.sizes, self.shares, strict=True):
            used = part.permuted(np.arange(size)) if size > 1 else None
            pairs = {} if used is None else used.spectrum(progress)
            if pairs is None or not isinstance(share, Fraction):
                return None
            ordered = _with_part(ordered, pairs, size, share)
            if len(ordered) > MOST_COSINES:
                return None
        ordered[Fraction(1)] -= self.count
        return {
            cosine: pairs // 2 for cosine, pairs in sorted(ordered.items()) if pairs
        }

    def check(self) -> None:
        """Raise CertificateError if two classes have the same values in all parts, or if a part has a fault.

        A part has a fault if the method `check` of the structure of its points raises a CertificateError.
        """
        for part in self.parts:
            part.check()
        if self.values is not None and has_equal_rows(self.values):
            raise CertificateError("two classes have the same value of every part")

    def permuted(self, order: Indices) -> ProductPoints:
        """Return a structure whose class i is class order[i] of this structure.

        The names of the classes are reordered in the same way.

        Args:
            order: Indices of classes of this structure: all of them in a new order, or some of them.
        """
        if self.values is None:
            values = self._combinations(order)
        else:
            values = self.values[order]
        names = None if self.names is None else self.names.permuted(order)
        return replace(self, values=values, names=names)

    def padded(self, dim: int) -> ProductPoints:
        """Return the same points in R^dim, with zeros appended.

        Args:
            dim: Number of coordinates of the new points, at least the number of coordinates of all parts together.
        """
        return replace(self, dim=dim)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        - The arrays that determine the points of each part. For part 0, their names begin with "part0_", for part 1
          with "part1_", and so on.
        - "weights": the square root of the share of each part.
        - "values": the matrix `values`. If this attribute is None, there is no such array.
        """
        return self._arrays_of_parts(own=True) | {"weights": self.weights}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores, by name.

        - The stored arrays of each part. For part 0, their names begin with "part0_", for part 1 with "part1_", and so
          on.
        - "values": the matrix `values`. If this attribute is None, there is no such array.
        """
        return self._arrays_of_parts(own=False)

    def _arrays_of_parts(self, *, own: bool) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        for number, part in enumerate(self.parts):
            arrays = part.point_arrays() if own else part.arrays()
            found |= {f"part{number}_{name}": arrays[name] for name in arrays}
        return found if self.values is None else found | {"values": self.values}

    def header(self) -> dict[str, Any]:
        """Return the header entries that a code file stores for these points, by name.

        - "parts" is a list with a dictionary for each part. Its keys are "structure" (the name of the structure that
          stores the points of the part), "num_points", "dim", "size" (how many values are in use) and "share", and also
          the header entries of the structure of the part.
        - "part_names" is an object with the names of parts, values and classes. It is None if they have no names.
        """
        parts = [
            part.header()
            | {
                "structure": part.name,
                "num_points": part.count,
                "dim": part.dim,
                "size": size,
                "share": fraction_to_json(share),
            }
            for part, size, share in zip(
                self.parts, self.sizes, self.shares, strict=True
            )
        ]
        names = None if self.names is None else self.names.to_json()
        return {"parts": parts, "part_names": names}

    @classmethod
    def read(cls, content: Content) -> ProductPoints:
        """Return the points that are stored in a code file.

        The header entry "parts" is a list with a dictionary for each part, and the entry "part_names" has the names.
        The arrays of part 0 have names that begin with "part0_", those of part 1 begin with "part1_", and so on. The
        array "values" has the indices of the values of each class. If there is no such array, every combination of
        values is a class.

        Args:
            content: Arrays and header of the code file, with the number K of classes and the dimension n.

        Raises:
            InvalidArgumentError: If the content is invalid. For example, the parts do not fit into R^n together, the
                shares do not sum to 1, or a class has a value that is not in use.
        """
        listed = content.header.get("parts")
        if not isinstance(listed, list) or not listed:
            raise InvalidArgumentError(
                "'parts' should be a list with an object for each part"
            )
        read = [
            _read_part(content, number, record)
            for number, record in enumerate(cast("list[object]", listed))
        ]
        parts = tuple(part for part, _, _ in read)
        sizes = tuple(size for _, size, _ in read)
        if content.dim > LARGEST_PRODUCT_DIM:
            raise InvalidArgumentError(
                f"'dim' should be at most 2^24 for classes made of parts, is {content.dim}"
            )
        if sum(part.dim for part in parts) > content.dim:
            raise InvalidArgumentError(
                f"'parts' should fit into {content.dim} dimensions together"
            )
        if sum(part.count * part.dim for part in parts) > MOST_PART_ENTRIES:
            raise InvalidArgumentError(
                "'parts' should have at most 2^24 numbers together"
            )
        shares = normalized_shares([share for _, _, share in read])
        values = _read_values(content, sizes)
        names = read_part_names(content.header.get("part_names"), sizes, content.count)
        return ProductPoints(parts, sizes, shares, values, content.dim, names=names)


def value_type(sizes: tuple[int, ...]) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned integer type that can store the indices of the values of all parts.

    Args:
        sizes: For each part, how many values it has.

    256 values have the indices 0 to 255, which fit into 8 bits, and 257 values need 16 bits.

    >>> value_type((19, 256)).__name__, value_type((257, 3)).__name__
    ('uint8', 'uint16')
    """
    return np.min_scalar_type(max(sizes) - 1).type


def normalized_shares(shares: list[Cosine]) -> tuple[Cosine, ...]:
    """Return the shares of the parts after checking that they sum to 1, and after rescaling floats.

    A share is the weight of a part in the cosine of two classes.

    - If all shares are Fractions, they must sum to exactly 1. They are returned unchanged.
    - Otherwise, their sum must differ from 1 by at most 1e-12. If the difference is more than 2^-49, each share is
      divided by the sum. If it is at most 2^-49, the shares are returned unchanged.

    Args:
        shares: Share of each part.

    Raises:
        InvalidArgumentError: If a share is not positive, or if the sum differs from 1 by more than is allowed.
    """
    total = sum(shares)
    exact = isinstance(total, Fraction)
    if min(shares) <= 0 or abs(total - 1) > (0 if exact else SHARE_ROUNDING):
        raise InvalidArgumentError(
            f"'share' should be above 0 for each part, and 1 in all, is {float(total)}"
        )
    if exact or abs(total - 1) <= LAST_BITS:
        return tuple(shares)
    return tuple(float(share / total) for share in shares)


def _readable(cosine: Cosine) -> Cosine:
    # files store only fractions of at most 18 digits
    if isinstance(cosine, Fraction) and cosine.denominator > LONGEST_DENOMINATOR:
        return float(cosine)
    return cosine


def _with_part(
    ordered: Counter[Fraction],
    pairs: Mapping[Fraction, int],
    size: int,
    share: Fraction,
) -> Counter[Fraction]:
    # The ordered pairs of combinations are counted by cosine, after one more part is added. A combination has one value
    # of each part that has been added. The cosine of two combinations is that of two
    # classes with these values and with equal values of all other parts. `ordered` has the numbers of ordered pairs
    # before the part is added, including each combination with itself. `pairs` has the numbers of unordered pairs of
    # different values of the part.
    of_part = Counter({Fraction(1): size})
    for cosine, count in pairs.items():
        of_part[cosine] += 2 * count
    found: Counter[Fraction] = Counter()
    for cosine, count in ordered.items():
        for own, of_own in of_part.items():
            found[cosine - share * (1 - own)] += count * of_own
    return found


def _read_part(
    content: Content, number: int, record: object
) -> tuple[Structure, int, Cosine]:
    if not isinstance(record, dict):
        raise InvalidArgumentError(
            f"'parts' should be objects of the description, has {brief(record)}"
        )
    header = cast("dict[str, Any]", record)
    if header.get("structure") == ProductPoints.name:
        raise InvalidArgumentError("'parts' should not be products themselves")
    prefix = f"part{number}_"
    arrays = {
        name.removeprefix(prefix): array
        for name, array in content.arrays.items()
        if name.startswith(prefix)
    }
    count = as_integer("num_points", header.get("num_points"), minimum=2)
    dim = as_integer("dim", header.get("dim"), minimum=1)
    if count * dim > MOST_PART_ENTRIES:
        raise InvalidArgumentError(
            f"'parts' should have at most 2^24 numbers together, one has {count} x {dim}"
        )
    own = Content(arrays, header, count, dim, content.complete)
    part = read_structure(header.get("structure"), own)
    size = as_integer("size", header.get("size"), minimum=1)
    if size > count:
        raise InvalidArgumentError(
            f"'size' should be at most the {count} points of the part, is {size}"
        )
    return part, size, _read_share(header.get("share"))


def _read_share(share: object) -> Cosine:
    if isinstance(share, str):
        found = read_fraction("share", share)
        assert found is not None, "a text gives a fraction or raises"
        return found
    return as_positive("share", share)


def _read_values(content: Content, sizes: tuple[int, ...]) -> Values | None:
    if "values" not in content.arrays:
        if prod(sizes) != content.count:
            raise InvalidArgumentError(
                f"'values' is missing, and there are {content.count} classes, not all {brief(prod(sizes))} combinations"
            )
        return None  # every combination of values is a class
    shape = (content.count, len(sizes))
    values = content.array("values", shape, value_type(sizes))
    if (values.max(axis=0) >= np.array(sizes)).any():
        raise InvalidArgumentError(
            f"'values' should be below the sizes {brief(sizes)} of the parts"
        )
    return values
