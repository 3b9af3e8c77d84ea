"""Structures, the forms in which points are stored: their protocol, their registry, and functions that read them.

The cosines of a structure lie on a grid if they are known to be 1 - j * step with integers j and a fixed Fraction, the
cosine step. The maximum cosine is then known exactly, because rounding errors are far smaller than the step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.linear import packed_length
from protosphere.errors import InvalidArgumentError, as_choice, as_text, brief
from protosphere.registry import Registry
from protosphere.spherical.structures.sign_rows import SignRows
from protosphere.types import Cosine, Indices, PackedBits, Points, Progress

ALL_PAIRS_POINTS = 20_000
"""Largest number of points for which all pairs are compared even if the structure makes this unnecessary.

The comparison takes one or two seconds. Up to this number, codewords with appended zeros are stored as a float64
matrix.
"""

LARGEST_HELD_BYTES = 1 << 30
"""Largest number of bytes of packed codewords that are kept in memory. A file may omit larger arrays of codewords."""

LONGEST_TEXT = 10_000


class Structure(Protocol):
    """Protocol for structures, the forms in which K unit vectors of R^n are stored.

    A structure is a frozen dataclass with the members of this class, but it need not inherit from this class. For
    example, `Plain` stores a float64 matrix, and `SignWords` stores packed signs.
    """

    name: ClassVar[str]
    """Name of the structure in files, set by the decorator `structure`."""

    projections: ClassVar[tuple[str, ...]]
    """Names of the fast projections of `protosphere.nn` that may suit the points, in the order in which they are tried.
    If none of them suits, a dense matrix is used.
    """

    @property
    def exact_reason(self) -> str:
        """Text that says why the result of `largest_cosine` is exact.

        If `largest_cosine` returns a Fraction, this text becomes `Certificate.reason`. Otherwise it is not used.
        """
        ...

    @property
    def separated_cosines(self) -> bool:
        """Whether different cosines of pairs of points differ by more than the rounding errors of a measurement."""
        ...

    @property
    def derived(self) -> tuple[str, ...]:
        """Names of those arrays in the result of `arrays` that can be computed from the other arrays in it.

        The saved state of a head may omit these arrays.
        """
        ...

    @property
    def is_nested(self) -> bool:
        """Whether for every k, the first k points are a good code, that is, have a low maximum cosine.

        If so, heads to which classes are added later keep the order of the points.
        """
        ...

    @property
    def points(self) -> Points | None:
        """The K x n matrix of the points. If the points are not stored as a matrix, this is None."""
        ...

    @property
    def packed_signs(self) -> PackedBits | None:
        """Signs of the entries of the points, one row of bytes per point, eight signs in a byte; bit 1 stands for +.

        If not all entries of the points are +-1/sqrt(n), this is None.
        """
        ...

    @property
    def cosine_step(self) -> Fraction | None:
        """Fraction c such that every cosine is provably 1 minus a multiple of c.

        If no such fraction is known, this is None.
        """
        ...

    @property
    def count(self) -> int:
        """Number K of points."""
        ...

    @property
    def dim(self) -> int:
        """Dimension n."""
        ...

    @property
    def work(self) -> int:
        """Approximate number of multiplications that checking the points and computing their maximum cosine needs."""
        ...

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors.

        Args:
            start: Index of the first point.
            stop: One past the index of the last point.
        """
        ...

    def sign_rows(self) -> SignRows | None:
        """Return the points that begin with entries +c or -c, with a common number c > 0, or None if there are none.

        The points may have further entries after these, and the code may have points of another form.
        """
        ...

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the largest cosine of two points, and a text that says how it was found.

        The cosine has one of three types:

        - A Fraction is exact.
        - An `UpperBound` is an upper bound on the largest cosine. It is returned if no two points are known to have
          this cosine.
        - A float was computed from the coordinates of the points, with rounding errors.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        ...

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points, and return their largest cosine and a text that says how it was found.

        The result is that of `largest_cosine`: an exact Fraction, an `UpperBound`, or a float with rounding errors.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: If stored data contradict each other, or if the points lack a stated property.
        """
        ...

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """Return a mapping from each cosine that occurs to the number of unordered pairs of points with this cosine.

        The result is None if the cosines are not known exactly.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        ...

    def check(self) -> None:
        """Raise CertificateError if stored data contradict each other, or if the points lack a stated property.

        For example, if a structure states a cosine step, every cosine must be 1 minus a multiple of this step.
        """
        ...

    def permuted(self, order: Indices) -> Structure:
        """Return a structure with the points order[0], order[1], and so on.

        Args:
            order: Indices of points: all of them, or a subset.
        """
        ...

    def padded(self, dim: int) -> Structure:
        """Return a structure with the same points in R^dim: zeros are appended to each point."""
        ...

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        The digest of a code is computed from these arrays.
        """
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores for this structure, by name.

        The method `read` makes the structure from these arrays and from the entries that `header` returns.
        """
        ...

    def header(self) -> dict[str, Any]:
        """Return the entries that a code file stores in its header for this structure, by name.

        The header is a JSON object. The method `read` makes the structure from these entries and from the arrays that
        `arrays` returns.
        """
        ...

    @classmethod
    def read(cls, content: Content) -> Structure:
        """Return the structure that is stored in a code file.

        Args:
            content: Arrays and header of the file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array or an entry of the header is missing or does not fit this structure.
        """
        ...


Kind = TypeVar("Kind", bound=type[Any])
STRUCTURES: Registry[type[Structure]] = Registry("structure")


def structure(name: str) -> Callable[[Kind], Kind]:
    """Return a class decorator that registers the decorated class in `STRUCTURES` under `name`.

    Code files identify the class by this name. The decorator also stores it as the attribute `name` of the class.
    """

    def registered(kind: Kind) -> Kind:
        STRUCTURES.add(name, kind)
        kind.name = name
        return kind

    return registered


def read_structure(name: object, content: Content) -> Structure:
    """Return the structure that is stored in a code file, given the name of its type.

    Args:
        name: Name of a type of structures that is registered in `STRUCTURES`, such as 'linear'.
        content: Arrays and header of the file, with the number K of points and the dimension n.

    Raises:
        InvalidArgumentError: If there is no structure of this name, or the content does not fit it.
    """
    return STRUCTURES[as_choice("structure", name, sorted(STRUCTURES))].read(content)


@dataclass(frozen=True)
class Content:
    """Content of a code file, from which a structure is read.

    Attributes:
        arrays: Arrays of the file by name.
        header: Entries of the header by name.
        count: Number K of points.
        dim: Dimension n.
        complete: Whether arrays that can be computed from other arrays must be in the file too.
    """

    arrays: Mapping[str, NDArray[Any]]
    header: Mapping[str, Any]
    count: int
    dim: int
    complete: bool = True

    def array(
        self, name: str, shape: tuple[int | None, ...], dtype: type
    ) -> NDArray[Any]:
        """Return the array with this name after checking its shape and its number type.

        Args:
            name: Name of the array in the file.
            shape: Required length of each axis of the array; None allows any length.
            dtype: Required number type.

        Raises:
            InvalidArgumentError: If the array is missing or has another shape or type.
        """
        found = self.arrays.get(name)
        if found is None:
            raise InvalidArgumentError(f"'{name}' is missing")
        fits = len(shape) == found.ndim and all(
            map(lambda want, got: want in (None, got), shape, found.shape)
        )
        if not fits or found.dtype != dtype:
            wanted = " x ".join(
                "any" if length is None else str(length) for length in shape
            )
            raise InvalidArgumentError(
                f"'{name}' should be {wanted} {dtype.__name__}, is {found.shape} {found.dtype}"
            )
        return found

    def packed(self, name: str, rows: int | None) -> PackedBits:
        """Return an array of packed codewords of n = `dim` bits after checking that the unused bits of each row are 0.

        Args:
            name: Name of the array in the file.
            rows: Required number of codewords; None allows any number.

        Returns:
            The codewords, one per row, with eight bits in a byte. The first bit is the highest bit of a byte.

        Raises:
            InvalidArgumentError: If the array is missing, has another shape or type, or has unused bits of 1.
        """
        found = self.array(name, (rows, packed_length(self.dim)), np.uint8)
        if self.dim % 8 and np.any(found[:, -1] & (0xFF >> self.dim % 8)):
            raise InvalidArgumentError(
                f"'{name}' has bits set beyond its {self.dim} columns"
            )
        return found

    def packed_or(
        self, name: str, derive: Callable[[], PackedBits]
    ) -> PackedBits | None:
        """Return K packed codewords that are read from the file or, if the file may omit them, computed by `derive`.

        Args:
            name: Name of the array in the file.
            derive: Function that computes the codewords.

        Returns:
            The codewords. None if they are not in the file and their total size is above 1 GiB (`LARGEST_HELD_BYTES`).

        Raises:
            InvalidArgumentError: If the array has another shape or type. Also if it is missing and at most 1 GiB large,
                and the attribute `complete` says that the file must contain it.
        """
        many = self.count * packed_length(self.dim) > LARGEST_HELD_BYTES
        if name not in self.arrays and many:
            return None
        if self.complete or name in self.arrays:
            return self.packed(name, self.count)
        return derive()

    def numbers(self, name: str, limit: int) -> Indices:
        """Return an array of K indices from the file after checking that they are from 0 to `limit` - 1.

        Args:
            name: Name of the array in the file.
            limit: Number above all allowed indices.

        Raises:
            InvalidArgumentError: If the array is missing, has another shape or type, or has other indices.
        """
        found = self.array(name, (self.count,), np.int64)
        if found.min() < 0 or int(found.max()) >= limit:
            raise InvalidArgumentError(
                f"'{name}' should be from 0 to {limit - 1}, has {found.min()} to {found.max()}"
            )
        return found

    def record(self, name: str) -> Mapping[str, Any]:
        """Return the JSON object with this name in the header.

        Raises:
            InvalidArgumentError: If the header has no JSON object with this name.
        """
        found = self.header.get(name)
        if not isinstance(found, dict):
            raise InvalidArgumentError(
                f"'{name}' should be an object of the description, is {brief(found)}"
            )
        return cast("dict[str, Any]", found)


def fraction_to_json(value: Cosine | None) -> str | float | None:
    """Return a cosine as it is stored in a JSON header.

    A Fraction is stored as text, such as '2/63'. A float and None are stored unchanged.
    """
    return str(value) if isinstance(value, Fraction) else value


def read_fraction(name: str, text: object) -> Fraction | None:
    """Return the fraction that `fraction_to_json` wrote as `text`.

    A text is accepted if its numerator and its denominator have at most 18 digits each. Parsing longer texts could take
    very long.

    Args:
        name: Name of the header entry, for the error message.
        text: Text such as '2/63', or None.

    Returns:
        The fraction; None if `text` is None.

    Raises:
        InvalidArgumentError: If `text` is neither None nor an accepted text.
    """
    if text is None:
        return None
    if not isinstance(text, str) or not re.fullmatch(
        r"-?\d{1,18}(/[1-9]\d{0,17})?", text, re.ASCII
    ):
        raise InvalidArgumentError(
            f"'{name}' should be a fraction such as '2/63', is {brief(text)}"
        )
    return Fraction(text)


def read_line(name: str, value: object) -> str:
    """Return `value` if it is a printable text without line breaks and at most 10,000 characters long.

    Args:
        name: Name of the header entry, for the error message.
        value: Value of the entry, of any type.

    Raises:
        InvalidArgumentError: If `value` is anything else.
    """
    text = as_text(name, value)
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise InvalidArgumentError(
            f"'{name}' should be a printable line, got {brief(value)}"
        )
    return text
