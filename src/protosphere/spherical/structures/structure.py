"""The protocol of a structure, the registry of structures by name, and the content of a file that one is read from."""

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
"""Up to so many points all pairs are measured even where a structure would save it, and words with more coordinates
after them are kept as dense points: a second or two."""

LARGEST_HELD_BYTES = 1 << 30
"""Packed words of a code that take more than this are not held, and may be missing in a file: the code gives them."""

LONGEST_TEXT = 10_000


class Structure(Protocol):
    """K unit vectors of R^n in a compact form, and everything that can be computed from that form.

    A structure is a frozen dataclass with these members; it need not inherit from anything. `Plain` and `SignWords`
    implement the protocol for dense rows and for packed signs.
    """

    name: ClassVar[str]
    """The name in files, set by the decorator `structure`."""

    projections: ClassVar[tuple[str, ...]]
    """Projections of `protosphere.nn` that may serve the points, in the order they are tried, before a matrix."""

    @property
    def exact_reason(self) -> str:
        """Why `largest_cosine` is exact where it is a Fraction: a clause for people."""
        ...

    @property
    def separated_cosines(self) -> bool:
        """Whether different cosines of points of one construction are further apart than rounding."""
        ...

    @property
    def derived(self) -> tuple[str, ...]:
        """Names of the arrays that follow from the others: `read` works without them."""
        ...

    @property
    def is_chain(self) -> bool:
        """Whether the first points are good codes themselves, so that growing heads keep the order."""
        ...

    @property
    def points(self) -> Points | None:
        """The dense rows, or None if the points are stored in another form."""
        ...

    @property
    def packed_signs(self) -> PackedBits | None:
        """The points as packed signs if every entry is +-1/sqrt(n), else None."""
        ...

    @property
    def cosine_step(self) -> Fraction | None:
        """A step such that every cosine is provably 1 - j * step with an integer j; None if no step is known."""
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
        """Approximate number of multiplications of `verified_cosine`."""
        ...

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop` as float64 unit vectors."""
        ...

    def sign_rows(self) -> SignRows | None:
        """Return the points as signs times a number, each with or without a glue vector; None if they are not."""
        ...

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the largest cosine of two points, a Fraction if it is exact, and how it was found."""
        ...

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Run `check` and return the largest cosine, measuring every pair at most once."""
        ...

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """Return how many pairs have each cosine; None if the cosines are not known exactly."""
        ...

    def check(self) -> None:
        """Raise CertificateError unless the points are what the structure says."""
        ...

    def permuted(self, order: Indices) -> Structure:
        """Return the points order[0], order[1], ...: all of them in another order, or a subset."""
        ...

    def padded(self, dim: int) -> Structure:
        """Return the same points in R^dim, with zeros appended."""
        ...

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, over which their digest is taken."""
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the file."""
        ...

    def header(self) -> dict[str, Any]:
        """Return the entries of the file's header that describe the arrays, as JSON."""
        ...

    @classmethod
    def read(cls, content: Content) -> Structure:
        """Read the structure from the content of a file.

        Raises:
            InvalidArgumentError: If an array or an entry of the header is missing or not of this structure.
        """
        ...


Kind = TypeVar("Kind", bound=type[Any])
STRUCTURES: Registry[type[Structure]] = Registry("structure")


def structure(name: str) -> Callable[[Kind], Kind]:
    """Register a class of structures under the name that files use for it."""

    def registered(kind: Kind) -> Kind:
        STRUCTURES.add(name, kind)
        kind.name = name
        return kind

    return registered


def read_structure(name: object, content: Content) -> Structure:
    """Read the structure of this name from the content of a file."""
    return STRUCTURES[as_choice("structure", name, sorted(STRUCTURES))].read(content)


@dataclass(frozen=True)
class Content:
    """Content of a code file: arrays, header, and the stated sizes K and n.

    `complete` says whether arrays that follow from others must be present.
    """

    arrays: Mapping[str, NDArray[Any]]
    header: Mapping[str, Any]
    count: int
    dim: int
    complete: bool = True

    def array(
        self, name: str, shape: tuple[int | None, ...], dtype: type
    ) -> NDArray[Any]:
        """Return an array by name; InvalidArgumentError unless it has this type and shape (None: any length)."""
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
        """Return packed codewords of n bits; their unused bits must be zero."""
        found = self.array(name, (rows, packed_length(self.dim)), np.uint8)
        if self.dim % 8 and np.any(found[:, -1] & (0xFF >> self.dim % 8)):
            raise InvalidArgumentError(
                f"'{name}' has bits set beyond its {self.dim} columns"
            )
        return found

    def packed_or(
        self, name: str, derive: Callable[[], PackedBits]
    ) -> PackedBits | None:
        """Return K packed codewords; if the file leaves them out, derive them, or return None for very many."""
        many = self.count * packed_length(self.dim) > LARGEST_HELD_BYTES
        if name not in self.arrays and many:
            return None
        if self.complete or name in self.arrays:
            return self.packed(name, self.count)
        return derive()

    def numbers(self, name: str, limit: int) -> Indices:
        """Return K numbers from 0 to limit - 1."""
        found = self.array(name, (self.count,), np.int64)
        if found.min() < 0 or int(found.max()) >= limit:
            raise InvalidArgumentError(
                f"'{name}' should be from 0 to {limit - 1}, has {found.min()} to {found.max()}"
            )
        return found

    def record(self, name: str) -> Mapping[str, Any]:
        """Return the object that the header has under this name."""
        found = self.header.get(name)
        if not isinstance(found, dict):
            raise InvalidArgumentError(
                f"'{name}' should be an object of the description, is {brief(found)}"
            )
        return cast("dict[str, Any]", found)


def fraction_to_json(value: Cosine | None) -> str | float | None:
    """Return a fraction as text, and a float as a number, for a JSON header."""
    return str(value) if isinstance(value, Fraction) else value


def read_fraction(name: str, text: object) -> Fraction | None:
    """Read the output of `fraction_to_json`; only short decimal texts are accepted, to limit the parsing time."""
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
    """Read a single line of text meant for people."""
    text = as_text(name, value)
    if len(text) > LONGEST_TEXT or not text.isprintable():
        raise InvalidArgumentError(
            f"'{name}' should be a printable line, got {brief(value)}"
        )
    return text
