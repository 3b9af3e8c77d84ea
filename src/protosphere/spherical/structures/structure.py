"""Structures, the forms in which points are stored: their protocol, their registry, and functions that read them.

A Fraction is an exact number. Packed bits are stored eight to a byte, in rows of bytes: one row for each vector of
bits, which is called a codeword. The highest bit of a byte comes first.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.

If a cosine step is known, the maximum cosine is known exactly, because rounding errors are far smaller than the step.
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
        """Text that says why the maximum cosine is exact, for use if `largest_cosine` returns a Fraction.

        Certificates have this text as the attribute `reason`.
        """
        ...

    @property
    def separated_cosines(self) -> bool:
        """Whether any two different cosines of pairs differ by more than the rounding errors of a measured cosine.

        If this is not known, the value is False.
        """
        ...

    @property
    def derived(self) -> tuple[str, ...]:
        """Names of those arrays in the result of `arrays` that can be computed from the other arrays in this result.

        The saved state of a head may omit these arrays.
        """
        ...

    @property
    def is_nested(self) -> bool:
        """Whether for every k, the first k points have a low maximum cosine. If this is not known, the value is False.

        If the value is True, heads to which classes are added later keep the order of the points.
        """
        ...

    @property
    def points(self) -> Points | None:
        """The K x n matrix of the points, or None if the points are not stored as a matrix."""
        ...

    @property
    def packed_signs(self) -> PackedBits | None:
        """Signs of all entries of the points, packed eight to a byte, one row of bytes per point; bit 1 stands for +.

        If the points are not stored as signs, the value is None.
        """
        ...

    @property
    def cosine_step(self) -> Fraction | None:
        """Proved fraction c such that every cosine of two points is 1 - j c with an integer j.

        If no such fraction is known, the value is None.
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
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        ...

    def sign_rows(self) -> SignRows | None:
        """Return those points that begin with L entries +c or -c, for a common c > 0 and a common L, or None.

        These points may have further entries, and the code may have points of another form, which are left out. The
        result is None if this structure knows no points of this form.
        """
        ...

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the largest cosine of two points or an upper bound on it, and a text that says how it was found.

        The first result has one of three types:

        - A Fraction is exactly the largest cosine.
        - An `UpperBound` is an upper bound on the largest cosine. No two points are known to have this cosine.
        - Any other float is the largest cosine, computed from the coordinates of the points with rounding errors.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        ...

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points, and return what `largest_cosine` returns.

        This is the largest cosine of two points, or an upper bound on it (type `UpperBound`), and a text that says how
        the number was found.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: If stored data contradict each other, or if the points lack a stated property.
        """
        ...

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order. If the cosines are not known exactly, the result is None.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        ...

    def check(self) -> None:
        """Raise CertificateError if stored data contradict each other, or if the points lack a stated property.

        For example, if a cosine step is stated, every cosine must be 1 minus an integer multiple of it.
        """
        ...

    def permuted(self, order: Indices) -> Structure:
        """Return a structure whose point i is point order[i] of this structure.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        ...

    def padded(self, dim: int) -> Structure:
        """Return a structure with the same points, to which zeros are appended.

        Args:
            dim: Number of coordinates of the new points, at least the present number.
        """
        ...

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        They may differ from the arrays that a code file stores. The digest of a code is computed from these arrays.
        """
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores for this structure, by name.

        The method `read` restores the structure from these arrays and from the header entries that `header` returns.
        """
        ...

    def header(self) -> dict[str, Any]:
        """Return the entries that the header of a code file stores for this structure, by name.

        The method `read` restores the structure from these entries and from the arrays that `arrays` returns.
        """
        ...

    @classmethod
    def read(cls, content: Content) -> Structure:
        """Return the structure that is stored in a code file.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array or an entry of the header is missing or does not fit this structure.
        """
        ...


Kind = TypeVar("Kind", bound=type[Any])
STRUCTURES: Registry[type[Structure]] = Registry("structure")


def structure(name: str) -> Callable[[Kind], Kind]:
    """Return a class decorator that registers the decorated class of structures in `STRUCTURES` under `name`.

    The decorator also sets the attribute `name` of the class.

    Args:
        name: Name by which code files identify the class, such as 'linear'.
    """

    def registered(kind: Kind) -> Kind:
        STRUCTURES.add(name, kind)
        kind.name = name
        return kind

    return registered


def read_structure(name: object, content: Content) -> Structure:
    """Return the structure that is stored in a code file.

    Args:
        name: Name of the class of the structure in `STRUCTURES`, such as 'linear' for the class `LinearWords`.
        content: Arrays and header of the code file, with the number K of points and the dimension n.

    Raises:
        InvalidArgumentError: If `STRUCTURES` has no class of this name, or if the content does not fit the class.
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
        complete: If True, the file must also contain the arrays that can be computed from other arrays. If False, it
            may omit them.
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
            shape: Required length of each axis of the array. None stands for any length.
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
            rows: Required number of codewords. None stands for any number.

        Returns:
            The codewords, one per row, with eight bits in a byte. The first bit is the highest bit of the first byte.

        Raises:
            InvalidArgumentError: If the array is missing, has another shape or type, or has an unused bit that is 1.
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
        """Return K packed codewords from the file. If the file does not have them, compute them or return None.

        If the file does not have the array, there are three cases:

        - If K codewords need more than 1 GiB (`LARGEST_HELD_BYTES`), the result is None.
        - If they need at most 1 GiB, and the attribute `complete` is False, they are computed by `derive`.
        - If they need at most 1 GiB, and `complete` is True, an error is raised.

        Args:
            name: Name of the array in the file.
            derive: Function that computes the codewords.

        Raises:
            InvalidArgumentError: If the array in the file has another shape or type, or has an unused bit that is 1.
                Also in the third case.
        """
        many = self.count * packed_length(self.dim) > LARGEST_HELD_BYTES
        if name not in self.arrays and many:
            return None
        if self.complete or name in self.arrays:
            return self.packed(name, self.count)
        return derive()

    def numbers(self, name: str, limit: int) -> Indices:
        """Return an array of K integers from the file after checking that each is from 0 to `limit` - 1.

        Args:
            name: Name of the array in the file.
            limit: One more than the largest allowed integer.

        Raises:
            InvalidArgumentError: If the array is missing, has another shape or type, or has an integer that is not
                allowed.
        """
        found = self.array(name, (self.count,), np.int64)
        if found.min() < 0 or int(found.max()) >= limit:
            raise InvalidArgumentError(
                f"'{name}' should be from 0 to {limit - 1}, has {found.min()} to {found.max()}"
            )
        return found

    def record(self, name: str) -> Mapping[str, Any]:
        """Return the header entry with this name, which must be a JSON object.

        Args:
            name: Name of the entry.

        Raises:
            InvalidArgumentError: If the entry is missing or is not a JSON object.
        """
        found = self.header.get(name)
        if not isinstance(found, dict):
            raise InvalidArgumentError(
                f"'{name}' should be an object of the description, is {brief(found)}"
            )
        return cast("dict[str, Any]", found)


def fraction_to_json(value: Cosine | None) -> str | float | None:
    """Return a cosine in the form in which a JSON header stores it.

    A Fraction becomes text, such as '2/63'. A float stays a float, and None stays None.

    Args:
        value: The cosine, or None if there is none.
    """
    return str(value) if isinstance(value, Fraction) else value


def read_fraction(name: str, text: object) -> Fraction | None:
    """Return the fraction that a header entry has as text. If the entry is None, the result is None.

    A text is accepted if its numerator and its denominator have at most 18 digits each. Parsing longer texts could take
    very long.

    Args:
        name: Name of the header entry, for the error message.
        text: Value of the entry: text such as '2/63', or None.

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
    """Return `value` after checking that it is a printable text without line breaks, at most 10,000 characters long.

    Args:
        name: Name of the header entry, for the error message.
        value: Value of the entry, of any type.

    Raises:
        InvalidArgumentError: If the check fails.
    """
    text = as_text(name, value)
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise InvalidArgumentError(
            f"'{name}' should be a printable line, got {brief(value)}"
        )
    return text
