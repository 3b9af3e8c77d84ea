"""What every structure of points answers, and the list of those there are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeVar

from numpy.typing import NDArray

from protosphere.code.structures.content import Content
from protosphere.code.structures.sign_rows import SignRows
from protosphere.errors import as_choice
from protosphere.registry import Registry
from protosphere.types import Cosine, Indices, PackedBits, Points, Progress

ALL_PAIRS_POINTS = 20_000
"""Up to so many points all pairs are measured even where a structure would save it, and words with more coordinates
after them are kept as dense points: a second or two."""


class Structure(Protocol):
    """K points of R^n, held in the form they have, and everything that follows from that form.

    A structure is a frozen dataclass in a file of its own, decorated with `@structure("its name")` and imported in
    `structures/__init__.py`. One that holds dense points may inherit from `Plain`, one of packed words from
    `SignWords`, and say only what it knows better.
    """

    name: ClassVar[str]
    """What files call it."""

    projections: ClassVar[tuple[str, ...]]
    """The projections of `nn.projections` that may serve its points, in the order they are tried, before a matrix."""

    @property
    def derived(self) -> tuple[str, ...]:
        """The arrays that its others give back: `read` does without them."""
        ...

    @property
    def count(self) -> int:
        """K."""
        ...

    @property
    def dim(self) -> int:
        """n."""
        ...

    @property
    def points(self) -> Points | None:
        """The dense points where they are held as such."""

    @property
    def packed_signs(self) -> PackedBits | None:
        """The points as packed words, where all of them are +-1/sqrt(n) words and nothing else."""

    @property
    def cosine_step(self) -> Fraction | None:
        """Every cosine is 1 - j * cosine_step for an integer j; None where they are not rational."""

    @property
    def is_chain(self) -> bool:
        """Whether the first points are good codes themselves: then growing heads leave them in their order."""
        ...

    @property
    def work(self) -> int:
        """About how many multiplications `check` and `largest_cosine` take."""
        ...

    def unit_rows(self, start: int, stop: int) -> Points:
        """Points `start` to `stop` as float64 unit vectors."""
        ...

    def sign_rows(self) -> SignRows | None:
        """The points that are signs times a number, with or without a tail; None where there are none."""

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """The largest cosine over all pairs, a fraction where it is exact, and in words how it was found."""
        ...

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """How many pairs have each cosine; None where the cosines are not rational."""

    def check(self) -> None:
        """Raise CertificateError unless the points are what the structure says."""

    def permuted(self, order: Indices) -> Structure:
        """The points number order[0], order[1], ...: all of them in another order, or some alone."""
        ...

    def padded(self, dim: int) -> Structure:
        """The same points in R^dim, zeros appended."""
        ...

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that fix the points by themselves: what a digest of the points is taken over."""
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays for the file."""
        ...

    def words(self) -> dict[str, Any]:
        """What the file's description says beside them, as JSON."""
        ...

    @classmethod
    def read(cls, content: Content) -> Structure:
        """The structure again from a file's arrays and words; InvalidArgumentError says what is wrong with them."""
        ...


Kind = TypeVar("Kind", bound=type[Structure])
STRUCTURES: Registry[type[Structure]] = Registry("structure")


def structure(name: str) -> Callable[[Kind], Kind]:
    """Register a class of structures under the name that files call it by."""

    def registered(kind: Kind) -> Kind:
        STRUCTURES.add(name, kind)
        kind.name = name
        return kind

    return registered


def read_structure(name: object, content: Content) -> Structure:
    """The structure of that name from what a file holds."""
    return STRUCTURES[as_choice("structure", name, sorted(STRUCTURES))].read(content)
