"""The table of derived codes: shells of lattices seen orthogonally to a few vectors, as numbers of these.

A row names the parent, the fixed vectors ('3 17+40': number 3 of the minimal vectors, and the sum of two) and the inner
products with them that its points have.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from protosphere.known.tables import read_known_table, reading, shipped_file

VECTORS = r"\d{1,7}(?:\+\d{1,7})?(?: \d{1,7}(?:\+\d{1,7})?){0,15}"
PRODUCTS = r"-?\d{1,4}(?: -?\d{1,4}){0,15}"
NAME = re.compile(rf"(\w{{1,20}}) at \(({PRODUCTS})\) from \(({VECTORS})\)")
"""What names a code: its parent, the inner products, and the fixed vectors."""


@dataclass(frozen=True)
class DerivedCodeRow:
    """A derived code: its parent, fixed vectors and products, its dimension, how many points, and their max cosine."""

    parent: str
    fixed: str
    products: str
    dim: int
    size: int
    max_cosine: str

    @property
    def name(self) -> str:
        """What names the code for ever, whatever the file has later."""
        return f"{self.parent} at ({self.products}) from ({self.fixed})"


def read_derived_codes(path: str | Path) -> tuple[DerivedCodeRow, ...]:
    """The rows of a file; StorageError names what is wrong with another."""
    with reading(path, "a table of derived codes"):
        return tuple(read_known_table(path, DerivedCodeRow, _possible))


@lru_cache(maxsize=1)
def shipped_derived_codes() -> tuple[DerivedCodeRow, ...]:
    """The table that comes with the package."""
    with shipped_file("derived_codes.csv") as path:
        return read_derived_codes(path)


def _possible(row: DerivedCodeRow) -> bool:
    """Whether there can be such a code, by its numbers."""
    as_many = len(row.fixed.split(" ")) == len(row.products.split(" "))
    return bool(NAME.fullmatch(row.name)) and as_many and 1 <= row.dim < row.size and 0 < Fraction(row.max_cosine) < 1
