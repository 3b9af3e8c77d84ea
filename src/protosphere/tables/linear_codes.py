"""The best known binary linear codes by length and dimension: their distances, and how each is derived.

A file has one row per code. Its derivation is in the language of `coding.derivations`, and may start from codes in
earlier rows: 'cell 57 16, puncture 1' punctures the [57, 16] code.
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
"""Name of the step that stands for another code of the file."""


@dataclass(frozen=True)
class LinearCodeRow:
    """An [n, k, d] code: its guaranteed distance and its derivation."""

    length: int
    dimension: int
    distance: int
    derivation: str

    @property
    def steps(self) -> list[str]:
        """Steps of the derivation, in order."""
        return self.derivation.split(", ")

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Lengths and dimensions of the codes from which the derivation starts."""
        return [cell_of(step) for step in self.steps if step.startswith(CELL)]


def cell_of(step: str) -> tuple[int, int]:
    """Return the length and the dimension of the code that a step refers to."""
    _, n, k = step.split(" ")
    return int(n), int(k)


@dataclass(frozen=True)
class LinearCodes:
    """The codes of a file, by length and dimension."""

    rows: Mapping[tuple[int, int], LinearCodeRow]

    def derivation(self, length: int, dimension: int) -> str:
        """Return the full derivation of a code, which stays valid when the table changes.

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
        """Return the codes with a larger d/n than all other codes that are no longer and have no fewer codewords."""
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
    """Read a table of linear codes.

    Args:
        path: The file, .csv.

    Raises:
        StorageError: If the file is not such a table or is damaged.
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
    """Return the shipped table: every length up to 128 and dimension up to 17."""
    with shipped_file("linear_codes.csv") as path:
        return read_linear_codes(path)


def _possible(row: LinearCodeRow) -> bool:
    """Return whether the sizes of a row are consistent and all steps of its derivation are known."""
    sizes = (
        1 <= row.dimension <= min(row.length, LARGEST_DIMENSION)
        and row.length <= LARGEST_LENGTH
    )
    singleton = 1 <= row.distance <= row.length - row.dimension + 1
    known = all(step.split(" ")[0] in {CELL, *STEPS} for step in row.steps)
    return sizes and singleton and known and len(row.derivation) <= MOST_TEXT
