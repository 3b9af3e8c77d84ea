"""What the files of known codes share: how rows are read and checked, and how what they say is found true."""

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeVar

from protosphere.csv_files import read_csv
from protosphere.errors import CertificateError

Row = TypeVar("Row")

REBUILD_TOLERANCE = 0.02
"""For codes of a search: where a descent ends depends on the last bits, which processors round differently."""


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
"""From a number or a text to the type that a field of a row has."""


def column_names(kind: type[Any]) -> tuple[str, ...]:
    """The columns of a file of such rows, which are dataclasses."""
    return tuple(field.name for field in fields(kind))


def read_rows(kind: type[Row], columns: Mapping[str, Sequence[Any]], possible: Callable[[Row], bool]) -> list[Row]:
    """The rows that columns of numbers or texts hold; ValueError at the first one that is not `possible`."""
    typed = [[CONVERTERS[field.type](value) for value in columns[field.name]] for field in fields(kind)]  # pyright: ignore[reportArgumentType]
    rows = [kind(*values) for values in zip(*typed, strict=True)]
    for row in rows:
        if not possible(row):
            raise ValueError(f"there can be no {row}")
    return rows


def read_known_table(path: str | Path, kind: type[Row], possible: Callable[[Row], bool]) -> list[Row]:
    """The rows of a .csv file whose columns are the fields of `kind`; ValueError where they are others."""
    names, (head, *lines) = column_names(kind), read_csv(Path(path)) or [[]]
    if tuple(head) != names:
        raise ValueError("its columns are others")
    return read_rows(kind, dict(zip(names, zip(*lines, strict=True), strict=False)), possible)


def shipped_file(name: str) -> AbstractContextManager[Path]:
    """A file that comes with the package."""
    return as_file(files("protosphere.known") / name)


def check_claim(where: str, claimed: float, found: float, tolerance: float) -> float:
    """How far above the claim a code built anew came out; CertificateError where that is beyond the tolerance."""
    if found > claimed + tolerance:
        raise CertificateError(f"{where} says {claimed}, built anew it is {found}")
    return found - claimed
