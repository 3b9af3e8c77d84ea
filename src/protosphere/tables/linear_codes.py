"""Tables of binary linear codes, with the length, the dimension, the distance and the derivation of each code.

A table is a .csv file with one row per code. The length n of a code is the number of bits of its codewords, and a code
of dimension k has 2^k codewords. Its minimum distance is the smallest number of positions in which two codewords
differ. Its maximum cosine is 1 - 2d/n, where d is its minimum distance.

The derivation of a code is a text that lists the steps by which the code is built, separated by commas. The module
`coding.derivations` describes the steps, except for one kind that only tables have: 'cell 57 16' stands for the code of
length 57 and dimension 16, which must be in an earlier row of the same file. For example, 'cell 57 16, puncture 1' has
two steps. It takes this code and removes its last coordinate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from protosphere.coding.derivations import MOST_TEXT, STEPS
from protosphere.storage.files import reading
from protosphere.tables.table_files import read_known_table, shipped_file

LARGEST_LENGTH = 128
LARGEST_DIMENSION = 17

CELL = "cell"
"""First word of a step such as 'cell 57 16', which stands for the code in another row of the table."""


@dataclass(frozen=True)
class LinearCodeRow:
    """One binary linear code in a table of linear codes.

    Attributes:
        length: Length n of the code.
        dimension: Dimension k of the code.
        distance: Proved lower bound on the minimum distance of the code.
        derivation: Steps by which the code is built, separated by commas, such as 'cell 57 16, puncture 1'. In this
            example, the step 'cell 57 16' takes the code of length 57 and dimension 16 of the same table, and 'puncture
            1' removes its last coordinate.
    """

    length: int
    dimension: int
    distance: int
    derivation: str

    @property
    def steps(self) -> list[str]:
        """Steps of the derivation, in order. For example, 'cell 57 16, puncture 1' has two steps."""
        return self.derivation.split(", ")

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Pairs (length, dimension) of those codes of the table to which steps of the derivation refer."""
        return [cell_of(step) for step in self.steps if step.startswith(CELL)]


def cell_of(step: str) -> tuple[int, int]:
    """Return the pair (length, dimension) of the code to which a step refers: (57, 16) for 'cell 57 16'.

    Args:
        step: Text of the step.
    """
    _, n, k = step.split(" ")
    return int(n), int(k)


@dataclass(frozen=True)
class LinearCodes:
    """A table of binary linear codes.

    Attributes:
        rows: Mapping from (length, dimension) to the row of the code with this length and this dimension.
    """

    rows: Mapping[tuple[int, int], LinearCodeRow]

    def derivation(self, length: int, dimension: int) -> str:
        """Return the derivation of a code, written so that no step refers to another code of the table.

        A derivation is a text of steps, separated by commas. A step such as 'cell 57 16' refers to another code of the
        table, with length 57 and dimension 16. It is replaced by the derivation of that code.

        Args:
            length: Length n of the code.
            dimension: Dimension k of the code.
        """
        steps = self.rows[length, dimension].steps
        return ", ".join(
            self.derivation(*cell_of(step)) if step.startswith(CELL) else step
            for step in steps
        )

    def leading(self) -> list[LinearCodeRow]:
        """Return the rows of the codes that have a lower maximum cosine than all their competitors.

        The competitors of a code are the other codes of the table that have at most its length and at least its
        dimension. The maximum cosine of a code of length n is taken to be 1 - 2d/n, where d is the distance that its
        row states.

        Returns:
            The rows of these codes, from the shortest to the longest length. For equal lengths, larger dimensions come
            first.
        """
        found: list[LinearCodeRow] = []
        best: dict[int, tuple[int, int]] = {}
        for row in sorted(
            self.rows.values(), key=lambda row: (row.length, -row.dimension)
        ):
            d, n = max(
                (best[k] for k in best if k >= row.dimension),
                default=(0, 1),
                key=lambda one: one[0] / one[1],
            )
            if row.distance * n > d * row.length:
                found.append(row)
                best[row.dimension] = row.distance, row.length
        return found


def read_linear_codes(path: str | Path) -> LinearCodes:
    """Read a table of binary linear codes from a file.

    Args:
        path: A .csv file with one row per code and the columns `length`, `dimension`, `distance` and `derivation`.

    Raises:
        StorageError: If the file is not a table of linear codes, or is damaged.
    """
    with reading(path, "not a table of linear codes, or a damaged one"):
        known: dict[tuple[int, int], LinearCodeRow] = {}
        for row in read_known_table(path, LinearCodeRow, _possible):
            cell = row.length, row.dimension
            if cell in known or any(other not in known for other in row.cells):
                raise ValueError(
                    f"a code of length {row.length} is there twice, or begins with one below it"
                )
            known[cell] = row
        return LinearCodes(known)


@lru_cache(maxsize=1)
def shipped_linear_codes() -> LinearCodes:
    """Return the table of binary linear codes in this package, with lengths up to 128 and dimensions up to 17."""
    with shipped_file("linear_codes.csv") as path:
        return read_linear_codes(path)


def _possible(row: LinearCodeRow) -> bool:
    sizes = (
        1 <= row.dimension <= min(row.length, LARGEST_DIMENSION)
        and row.length <= LARGEST_LENGTH
    )
    # the Singleton bound
    singleton = 1 <= row.distance <= row.length - row.dimension + 1
    known = all(step.split(" ")[0] in {CELL, *STEPS} for step in row.steps)
    return sizes and singleton and known and len(row.derivation) <= MOST_TEXT
