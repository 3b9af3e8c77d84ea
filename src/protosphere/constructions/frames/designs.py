"""Codes whose points are 0/1 vectors from classical codes and designs, with their means subtracted.

Take 0/1 vectors of length v with k ones each, and let x be the largest number of ones that two of them share. Subtract
the mean k/v from all entries, and normalize the vectors. The points then lie in v - 1 dimensions, and their maximum
cosine is (x - k^2/v) / (k - k^2/v).

The vectors are codewords of a few classical codes, or blocks of designs. These codes and designs are called parents,
and the vectors of both are called codewords. The coordinates of a parent may be divided into sets, called cells. A code
then has all codewords of the parent with a given number of ones on each cell. The mean of the entries on each cell is
subtracted from these entries. The coordinates of some cells may then be left out.
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
"""Pattern of the name of a code: its parent, the cells whose coordinates are kept, and the cells that are left out.

A cell is written as its number of ones and the bit mask of its coordinates, such as '5 of 3f': five ones on
the coordinates 0 to 5.
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
"""The parent codes and designs by name: length of the codewords, and function that returns all codewords."""


@lru_cache(maxsize=2)
def parent_words(name: str) -> Words:
    """Return all codewords of a classical code or design, as the rows of a 0/1 matrix.

    Args:
        name: Name of the code or design, a key of `PARENTS`, such as 'golay24'.
    """
    return PARENTS[name][1]()


@dataclass(frozen=True)
class WeightedCell:
    """A set of coordinates, called cell, and the number of ones that all codewords of a code have on these coordinates.

    Attributes:
        weight: Number of ones of each codeword on the cell.
        places: Indices of the coordinates that belong to the cell.
    """

    weight: int
    places: tuple[int, ...]

    @property
    def dim(self) -> int:
        """Number of coordinates of the cell, minus 1: the number of dimensions of the points for the cell."""
        return len(self.places) - 1

    @property
    def mean_product(self) -> Fraction:
        """Squared norm w^2/v of the vector that is subtracted from each codeword on the cell.

        Here w is `weight`, and v is the number of coordinates of the cell. All v entries of the subtracted vector are
        w/v, the mean of the entries of a codeword on the cell.
        """
        return Fraction(self.weight**2, len(self.places))

    @classmethod
    def parse(cls, text: str) -> "WeightedCell":
        """Return the cell that is written as a text such as '5 of 3f'.

        The first number is the number of ones. The second number is the bit mask of the coordinates, in hexadecimal.
        Coordinate 0 is the lowest bit. So '5 of 3f' is the cell of the six coordinates 0 to 5, with five ones.

        Args:
            text: Text in this format.
        """
        weight, mask = text.split(" of ")
        bits = int(mask, 16)
        places = tuple(i for i in range(bits.bit_length()) if bits >> i & 1)
        return WeightedCell(int(weight), places)

    def __str__(self) -> str:
        return f"{self.weight} of {sum(1 << place for place in self.places):x}"


@dataclass(frozen=True)
class CellWords:
    """Code made from the codewords of a classical code or design that have given numbers of ones on given cells.

    A cell is a set of coordinates. The mean of the entries of a codeword on each cell is subtracted from these entries,
    and the codewords are then normalized.

    Attributes:
        parent: Name of the classical code or design, a key of `PARENTS`.
        kept: Cells whose coordinates the points keep.
        dropped: Cells whose coordinates the points leave out. The codewords have the given numbers of ones on these
            cells too.
    """

    parent: str
    kept: tuple[WeightedCell, ...]
    dropped: tuple[WeightedCell, ...]

    @property
    def name(self) -> str:
        """Name of the code: the classical code or design, the kept cells and the dropped cells, as text.

        For example, 'golay24: 6 of ed41aa; without 2 of 12be55' has the codewords of the extended Golay code with 6
        ones on one cell of 12 coordinates, and 2 ones on a cell of the 12 other coordinates. The points keep the
        coordinates of the first cell only. The numbers ed41aa and 12be55 are the bit masks of the two cells in
        hexadecimal. Coordinate 0 is the lowest bit.
        """
        name = f"{self.parent}: {', '.join(map(str, self.kept))}"
        if self.dropped:
            name += f"; without {', '.join(map(str, self.dropped))}"
        return name

    @classmethod
    def parse(cls, name: str) -> "CellWords":
        """Return the code that has the given name.

        Args:
            name: Name of a code, such as 'golay24: 6 of ed41aa; without 2 of 12be55'. The property `name` explains this
                format.

        Raises:
            InvalidArgumentError: If `name` does not have the format of such names, or does not describe a code: the
                parent is unknown, two cells share a coordinate, a coordinate does not exist, or the codewords would
                have only zeros or only ones on a kept cell.
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
        """Length of the codewords of the classical code or design."""
        return PARENTS[self.parent][0]

    @property
    def dim(self) -> int:
        """Dimension n of the points: the number of coordinates of the kept cells minus the number of these cells."""
        return sum(cell.dim for cell in self.kept)

    @property
    def squared_norm(self) -> Fraction:
        """Squared norm of each codeword on the kept cells, after the mean on each cell is subtracted."""
        return sum((cell.weight - cell.mean_product for cell in self.kept), Fraction(0))

    @property
    def cosine_step(self) -> Fraction:
        """Fraction s for which every cosine of two points is 1 minus an integer multiple of s.

        All codewords of the code have the same number k of ones on the kept cells. If two codewords have x of these
        ones in common, the cosine of their points is 1 - (k - x) s, where s is 1 / `squared_norm`.
        """
        return 1 / self.squared_norm

    def max_cosine(self, most_common: int) -> Fraction:
        """Return the maximum cosine of the points.

        Args:
            most_common: Largest number of ones on the kept cells that two different codewords of the code share.
        """
        weight = sum(cell.weight for cell in self.kept)
        return 1 - (weight - most_common) * self.cosine_step

    def words(self) -> Words:
        """Return the codewords of the code on the kept cells, as the rows of a 0/1 matrix.

        The columns are the coordinates of the first kept cell, then the coordinates of the second kept cell, and so on.
        """
        words = parent_words(self.parent)
        chosen = np.ones(len(words), dtype=np.bool_)
        for cell in (*self.kept, *self.dropped):
            weights = words[:, list(cell.places)].sum(axis=1)
            chosen &= weights == cell.weight
        places = [place for cell in self.kept for place in cell.places]
        return words[chosen][:, places]

    def points(self, count: int) -> Points:
        """Return the first `count` points of the code as unit rows.

        Args:
            count: Number of points to return.
        """
        words = self.words()[:count].astype(np.float64)
        columns: list[Points] = []
        start = 0
        for cell in self.kept:
            stop = start + len(cell.places)
            columns.append(words[:, start:stop] @ orthogonal_to_ones(cell.dim))
            start = stop
        return normalized(np.concatenate(columns, axis=1))


def orthogonal_to_ones(dim: int) -> Points:
    """Return Helmert's (dim + 1) x dim matrix.

    Its columns have norm 1, and are orthogonal to each other and to the all-ones vector.

    Args:
        dim: Number of columns.

    >>> orthogonal_to_ones(1).round(3).tolist()
    [[0.707], [-0.707]]
    """
    columns = np.triu(np.ones((dim + 1, dim)))
    numbers = np.arange(1, dim + 1)
    columns[numbers, numbers - 1] = -numbers
    return columns / np.sqrt(numbers * (numbers + 1.0))


@dataclass(frozen=True)
class DesignRow:
    """A row of a table of designs, which describes one code.

    Attributes:
        name: Name of the code, such as 'golay24: 6 of ed41aa; without 2 of 12be55': the classical code or design, the
            cells whose coordinates are kept, and the cells that are left out. Each cell is its number of ones and the
            bit mask of its coordinates in hexadecimal.
        dim: Dimension n of the points.
        size: Number of points.
        max_cosine: Maximum cosine of the points, as the text of a fraction such as '1/4'.
    """

    name: str
    dim: int
    size: int
    max_cosine: str


def read_designs(path: str | Path) -> tuple[DesignRow, ...]:
    """Return the rows of a table of codes from designs, which is a .csv file.

    Args:
        path: Path of the file, which has the columns `name`, `dim`, `size` and `max_cosine`.

    Raises:
        StorageError: If the file is not a table of designs, or a row is not valid.
    """
    with reading(path, "not a table of designs, or a damaged one"):
        return tuple(read_known_table(path, DesignRow, _possible))


@lru_cache(maxsize=1)
def shipped_designs() -> tuple[DesignRow, ...]:
    """Return the rows of the table of codes from designs that is part of this package, one for each code."""
    with shipped_file("designs.csv") as path:
        return read_designs(path)


def _possible(row: DesignRow) -> bool:
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
    """Return the largest number of ones that two different codewords have in common.

    Args:
        words: Codewords as the rows of a 0/1 matrix.
    """
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
    summary="blocks of Witt designs and inversive planes, constant-weight codes, (n, K) = (11,132), (20,56), ...",
    reference="Witt (1938); Delsarte, Goethals & Seidel (1977); Dembowski (1968); Conway & Sloane, SPLAG, chapter 11",
    named=_named,
)
def designs() -> Iterator[Member]:
    """Yield codes made from 0/1 vectors that have given numbers of ones on given sets of coordinates, called cells.

    The mean of the entries of a vector on a cell is subtracted from these entries. Then the vectors are normalized. The
    0/1 vectors come from three sources:

    - the extended Golay code, whose codewords of weight 8 and 12 are the octads and dodecads of the Witt design
      S(5,8,24)
    - Kerdock codes of length 16 and 64
    - the circles of inversive planes, as vectors with a one for each point of the circle
    """
    for row in shipped_designs():
        found = CellWords.parse(row.name)
        yield _member(found, row.size, Fraction(row.max_cosine))
