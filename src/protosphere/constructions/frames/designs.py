"""Blocks of designs and constant-weight codes: 0/1 vectors with given weights on cells, minus their means.

Take codewords of length v and weight k any two of which share at most x ones. After the mean k/v is subtracted, their
largest cosine is (x - k^2/v) / (k - k^2/v), and they lie in v - 1 dimensions. More generally, the coordinates are
divided into cells. Every codeword then has the same weight on each cell, and the coordinates of some cells may be
dropped. The codewords come from a few classical codes and designs, which contain the blocks of the Witt designs and
all codes derived from these.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.golay import extended_golay
from protosphere.coding.inversive_planes import inversive_plane
from protosphere.coding.linear import codewords, unpack
from protosphere.constructions.block_codes.coset_forms import coset_union
from protosphere.constructions.families import Member, dense_member, family
from protosphere.errors import InvalidArgumentError, brief
from protosphere.geometry.sphere import normalized
from protosphere.storage.files import reading
from protosphere.tables.table_files import read_known_table, shipped_file
from protosphere.types import Points

Words = NDArray[np.uint8]
"""A 0/1 matrix with a codeword in each row."""

CELL = r"\d{1,3} of [0-9a-f]{1,64}"
CELLS = rf"{CELL}(?:, {CELL}){{0,9}}"
NAME = re.compile(rf"(\w{{1,20}}): ({CELLS})(?:; without ({CELLS}))?")
"""Name of a code: its parent, the weights on the cells that are kept, and the weights on the cells that are left out.
"""


def _golay_words() -> Words:
    return unpack(codewords(extended_golay(), 1 << 12), 24)


def _kerdock_words(m: int) -> Words:
    return unpack(coset_union(m, 1 << 2 * m).packed_signs, 1 << m)


PARENTS: Mapping[str, tuple[int, Callable[[], Words]]] = {
    "golay24": (24, _golay_words),
    "kerdock16": (16, partial(_kerdock_words, 4)),
    "kerdock64": (64, partial(_kerdock_words, 6)),
    **{
        f"inversive{q}": (q * q + 1, partial(inversive_plane, q))
        for q in (3, 4, 5, 7, 8, 9, 11, 13)
    },
}
"""For each parent code or design, by name: the length of its codewords, and the function that lists the codewords."""


@lru_cache(maxsize=2)
def parent_words(name: str) -> Words:
    """Return the codewords of the parent code of that name."""
    return PARENTS[name][1]()


@dataclass(frozen=True)
class WeightedCell:
    """A set of coordinates, and the number of ones that every codeword has on them.

    Attributes:
        weight: Number of ones.
        places: Indices of the coordinates.
    """

    weight: int
    places: tuple[int, ...]

    @property
    def dim(self) -> int:
        """Number of dimensions that remain after the mean is subtracted."""
        return len(self.places) - 1

    @property
    def mean_product(self) -> Fraction:
        """Squared norm w^2/v of the constant vector w/v, which is subtracted from each codeword on the v coordinates.

        w is the weight.
        """
        return Fraction(self.weight**2, len(self.places))

    @classmethod
    def parse(cls, text: str) -> "WeightedCell":
        """Read a text such as '5 of 3f': the weight, and the bit mask of the coordinates in hexadecimal.

        Coordinate 0 is the lowest bit.
        """
        weight, mask = text.split(" of ")
        bits = int(mask, 16)
        places = tuple(i for i in range(bits.bit_length()) if bits >> i & 1)
        return WeightedCell(int(weight), places)

    def __str__(self) -> str:
        return f"{self.weight} of {sum(1 << place for place in self.places):x}"


@dataclass(frozen=True)
class CellWords:
    """Codewords of a parent code that have given weights on cells, as points on the sphere.

    Attributes:
        parent: Name in `PARENTS`.
        kept: Cells whose coordinates the points keep.
        dropped: Cells whose coordinates are left out.
    """

    parent: str
    kept: tuple[WeightedCell, ...]
    dropped: tuple[WeightedCell, ...]

    @property
    def name(self) -> str:
        """Name from which `parse` restores the object."""
        name = f"{self.parent}: {', '.join(map(str, self.kept))}"
        if self.dropped:
            name += f"; without {', '.join(map(str, self.dropped))}"
        return name

    @classmethod
    def parse(cls, name: str) -> "CellWords":
        """Return the code with this name.

        Raises:
            InvalidArgumentError: If no code has that name.
        """
        read = NAME.fullmatch(name)
        if read is None or read[1] not in PARENTS:
            raise InvalidArgumentError(
                f"'member' must be the name of a design, got {brief(name)}"
            )
        kept = tuple(map(WeightedCell.parse, read[2].split(", ")))
        dropped = tuple(map(WeightedCell.parse, read[3].split(", "))) if read[3] else ()
        found = CellWords(read[1], kept, dropped)
        places = [place for cell in (*kept, *dropped) for place in cell.places]
        full = any(not 0 < cell.weight <= cell.dim for cell in kept)
        if full or len(set(places)) < len(places) or max(places) >= found.length:
            raise InvalidArgumentError(
                f"'member' must have disjoint cells among {found.length} places, none empty or full, got {brief(name)}"
            )
        return found

    @property
    def length(self) -> int:
        """Length of the parent's codewords."""
        return PARENTS[self.parent][0]

    @property
    def dim(self) -> int:
        """Dimension n: the total dimension of the kept cells after their means are subtracted."""
        return sum(cell.dim for cell in self.kept)

    @property
    def squared_norm(self) -> Fraction:
        """Squared norm of a codeword minus its means."""
        return sum((cell.weight - cell.mean_product for cell in self.kept), Fraction(0))

    @property
    def cosine_step(self) -> Fraction:
        """Step of the cosines: codewords of weight k that share x ones have cosine 1 - (k - x) * cosine_step."""
        return 1 / self.squared_norm

    def max_cosine(self, most_common: int) -> Fraction:
        """Return the largest cosine of codewords that share at most `most_common` ones on the kept cells."""
        weight = sum(cell.weight for cell in self.kept)
        return 1 - (weight - most_common) * self.cosine_step

    def words(self) -> Words:
        """Return the codewords on the kept cells, cell by cell."""
        words = parent_words(self.parent)
        chosen = np.ones(len(words), dtype=np.bool_)
        for cell in (*self.kept, *self.dropped):
            weights = words[:, list(cell.places)].sum(axis=1)
            chosen &= weights == cell.weight
        places = [place for cell in self.kept for place in cell.places]
        return words[chosen][:, places]

    def points(self, count: int) -> Points:
        """Return the first `count` points as unit rows, in the dimension of the kept cells."""
        words = self.words()[:count].astype(np.float64)
        columns: list[Points] = []
        start = 0
        for cell in self.kept:
            stop = start + len(cell.places)
            columns.append(words[:, start:stop] @ orthogonal_to_ones(cell.dim))
            start = stop
        return normalized(np.concatenate(columns, axis=1))


def orthogonal_to_ones(dim: int) -> Points:
    """Return Helmert's orthonormal columns, (dim + 1) x dim, all orthogonal to the all-ones vector.

    >>> orthogonal_to_ones(1).round(3).tolist()
    [[0.707], [-0.707]]
    """
    columns = np.triu(np.ones((dim + 1, dim)))
    numbers = np.arange(1, dim + 1)
    columns[numbers, numbers - 1] = -numbers
    return columns / np.sqrt(numbers * (numbers + 1.0))


@dataclass(frozen=True)
class DesignRow:
    """A row of the shipped table of designs.

    Attributes:
        name: Name of the code, see `CellWords`.
        dim: Dimension n.
        size: Number of points.
        max_cosine: Largest cosine, as a fraction.
    """

    name: str
    dim: int
    size: int
    max_cosine: str


def read_designs(path: str | Path) -> tuple[DesignRow, ...]:
    """Read a table of designs.

    Args:
        path: The file, .csv.

    Raises:
        StorageError: If it is not a table of designs, or a row is not valid.
    """
    with reading(path, "not a table of designs, or a damaged one"):
        return tuple(read_known_table(path, DesignRow, _possible))


@lru_cache(maxsize=1)
def shipped_designs() -> tuple[DesignRow, ...]:
    """Return the rows of the shipped table of designs."""
    with shipped_file("designs.csv") as path:
        return read_designs(path)


def _possible(row: DesignRow) -> bool:
    """Return whether the dimension, size and maximum cosine of a row are consistent with its name."""
    found = CellWords.parse(row.name)
    return (
        found.name == row.name
        and found.dim == row.dim < row.size
        and 0 < Fraction(row.max_cosine) < 1
    )


@lru_cache(maxsize=16)
def _named(dim: int, name: str) -> Member:
    found = CellWords.parse(name)
    if found.dim != dim:
        raise InvalidArgumentError(
            f"'member' must be a design of dimension {dim}, got {brief(name)} of dimension {found.dim}"
        )
    words = found.words()
    return _member(found, len(words), found.max_cosine(most_common_ones(words)))


def most_common_ones(words: Words) -> int:
    """Return the largest number of ones that two different codewords share."""
    ones = words.astype(np.float32)  # the products are small integers, and exact
    common = ones @ ones.T
    np.fill_diagonal(common, -1)
    return int(common.max())


def _member(found: CellWords, size: int, max_cosine: Fraction) -> Member:
    return dense_member(
        found.dim,
        size,
        max_cosine,
        found.name,
        f"centered words {found.name}",
        found.points,
        found.cosine_step,
    )


@family(
    summary="blocks of Witt designs, inversive planes, constant-weight codes: (n, K) = (11,132), (20,56), (21,77), ...",
    reference="Witt (1938); Delsarte, Goethals & Seidel (1977); Dembowski (1968); Conway & Sloane, SPLAG, chapter 11",
    named=_named,
)
def designs() -> Iterator[Member]:
    """Yield codes of 0/1 vectors with given weights on cells of their coordinates, minus their means, normalized.

    The vectors come from three sources. The first is the extended Golay code; its codewords of weight 8 and 12 are
    the octads and dodecads of the Witt design S(5,8,24). The second are Kerdock codes of length 16 and 64. The third
    are the circles of inversive planes.
    """
    for row in shipped_designs():
        found = CellWords.parse(row.name)
        yield _member(found, row.size, Fraction(row.max_cosine))
