"""Functions that read and check the rows of tables, and that compare stated cosines with those of rebuilt codes.

A row is an object of a dataclass. The fields of the dataclass are the columns of the table.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeVar

from protosphere.errors import CertificateError
from protosphere.storage.csv_files import csv_rows

Row = TypeVar("Row")

REBUILD_TOLERANCE = 0.02
"""Largest excess of the maximum cosine that is allowed when a code of a search is built again.

The result of a descent depends on the last bits of numbers, which different processors round differently.
"""


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, str) else operator.index(value)


def _unless_empty(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value in ("", None) else convert(value)


CONVERTERS: dict[Any, Callable[[Any], Any]] = {
    int: _whole,
    float: float,
    str: str,
    bool: {"True": True, "False": False}.__getitem__,
    int | None: _unless_empty(_whole),
    float | None: _unless_empty(float),
}
"""Mapping from the type of a field of a row to a function that converts a number or a text to this type."""


def column_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of the columns of a table.

    Args:
        kind: Dataclass of the rows. Its fields are the columns.
    """
    return tuple(field.name for field in fields(kind))


def read_rows(
    kind: type[Row],
    columns: Mapping[str, Sequence[Any]],
    possible: Callable[[Row], bool],
) -> list[Row]:
    """Return the rows of a table, given its columns.

    Args:
        kind: Dataclass of the rows. Its fields are the columns.
        columns: Mapping from the name of each column to the entries of the column, which are numbers or text.
        possible: Function that returns False for a row whose values cannot be right.

    Raises:
        ValueError: If a row cannot be converted or is not possible.
    """
    cells = zip(*(columns[name] for name in column_names(kind)), strict=True)
    return list(_typed_rows(kind, cells, possible))


def read_known_table(
    path: str | Path, kind: type[Row], possible: Callable[[Row], bool]
) -> list[Row]:
    """Return all rows of a .csv file whose columns are the fields of a dataclass.

    Args:
        path: Path of the file.
        kind: Dataclass of the rows. Its fields are the columns.
        possible: Function that returns False for a row whose values cannot be right.

    Raises:
        ValueError: If the columns are not the fields of `kind`, or a row cannot be converted or is not possible.
    """
    return list(known_rows(path, kind, possible))


def known_rows(
    path: str | Path, kind: type[Row], possible: Callable[[Row], bool]
) -> Iterator[Row]:
    """Yield the rows of a .csv file whose columns are the fields of a dataclass, one at a time.

    Args:
        path: Path of the file.
        kind: Dataclass of the rows. Its fields are the columns.
        possible: Function that returns False for a row whose values cannot be right.

    Raises:
        ValueError: If the columns are not the fields of `kind`, or a row cannot be converted or is not possible.
    """
    lines = csv_rows(Path(path))
    if tuple(next(lines, ())) != column_names(kind):
        raise ValueError("its columns are others")
    yield from _typed_rows(kind, lines, possible)


def _typed_rows(
    kind: type[Row], lines: Iterable[Sequence[Any]], possible: Callable[[Row], bool]
) -> Iterator[Row]:
    converters = [CONVERTERS[field.type] for field in fields(kind)]  # pyright: ignore[reportArgumentType]
    for line in lines:
        row = kind(
            *(convert(cell) for convert, cell in zip(converters, line, strict=True))
        )
        if not possible(row):
            raise ValueError(f"there can be no {row}")
        yield row


def shipped_file(name: str) -> AbstractContextManager[Path]:
    """Return a context manager that yields the path of a table that is shipped with the package.

    Args:
        name: File name of the table, such as "lattice_shells.csv".
    """
    return as_file(files("protosphere.tables") / name)


def check_claim(where: str, claimed: float, found: float, tolerance: float) -> float:
    """Return the maximum cosine of a rebuilt code minus the maximum cosine that a table states for it.

    This difference is the excess. It is negative if the rebuilt code has the lower maximum cosine.

    Args:
        where: Name of the table and row, for the error message.
        claimed: Maximum cosine that the table states.
        found: Maximum cosine of the rebuilt code.
        tolerance: Largest allowed excess.

    Raises:
        CertificateError: If the excess is above the tolerance.
    """
    if found > claimed + tolerance:
        raise CertificateError(f"{where} says {claimed}, built anew it is {found}")
    return found - claimed
