"""Tables that describe classes by their parts.

A part is a property that every class has, such as a color. Each part has several values, such as red and blue. A table
has a row for each class, with one value for each part.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np

from protosphere.errors import (
    InvalidArgumentError,
    StorageError,
    as_integer,
    brief,
)
from protosphere.geometry.closest_classes import Values
from protosphere.spherical.part_names import PartNames
from protosphere.storage.csv_files import guarded, read_csv, unguarded

SIZES_TEXT = re.compile(r"\d{1,9}( x \d{1,9})*")
"""Pattern of a table as text that gives only the sizes of parts, such as '19 x 21': every combination is a class."""

MOST_COMBINATIONS = 1 << 40
"""Largest number of classes of a table of all combinations; files can store this number."""

Row = Sequence[Any] | Mapping[str, Any]
"""The values of the parts of a class: a sequence in the order of the parts, or a mapping from names of parts."""


@dataclass(frozen=True, eq=False)
class PartTable:
    """Classes described by the values of their parts.

    The index of a value is its position, from 0, among the values of its part, in the order in which they first appear
    in the table.

    Attributes:
        names: Names of the P parts, of the values of each part, and of the K classes. The names of the classes are None
            if the classes have no names.
        values: K x P matrix. Entry (i, p) is the index of the value of part p of class i. None means that all
            combinations of values are classes, in the order in which the value of the last part changes fastest.
    """

    names: PartNames
    values: Values | None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each part."""
        return tuple(len(values) for values in self.names.values)

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return prod(self.sizes) if self.values is None else len(self.values)

    @property
    def lists_all_combinations(self) -> bool:
        """True if the classes are all combinations of values, in lexicographic order; otherwise False.

        In this order, the value of the last part changes fastest.
        """
        if self.values is None:
            return True
        if len(self.values) != prod(self.sizes):
            return False
        order = np.ravel_multi_index(tuple(self.values.T.astype(np.int64)), self.sizes)
        return np.array_equal(order, np.arange(self.num_classes))

    @property
    def text(self) -> str:
        """The table as text, from which `part_table` makes the table again.

        If the attribute `values` is None, the text has the number of values of each part, such as '19 x 21'. Otherwise
        the text has a heading and a line for each class, with comma-separated cells: the name of the class, and the
        value of each part. If the classes have no names, the first cell of each line is empty.
        """
        if self.values is None:
            return " x ".join(map(str, self.sizes))
        file = io.StringIO(newline="")
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["class", *map(guarded, self.names.parts)])
        classes = self.names.classes or [""] * self.num_classes
        rows: list[list[int]] = self.values.tolist()
        for name, row in zip(classes, rows, strict=True):
            cells = [self.names.values[part][value] for part, value in enumerate(row)]
            lines.writerow([guarded(name), *map(guarded, cells)])
        return file.getvalue()


def part_table(
    given: Any = None,
    *,
    by: Callable[[Any], Row] | None = None,
    sizes: Sequence[int] | None = None,
    least: int = 2,
) -> PartTable:
    """Return the table of classes and their parts that the arguments describe.

    Args:
        given: One of these tables: a mapping from the name of each class to its row of values; a list of rows of
            values, one row per class; a data frame with the class names in its index, or in its first column if the
            index has row numbers; the path of a .csv file with a heading, whose first column has the names of the
            classes; or a text, either lines like those of such a file or sizes such as '19 x 21'. A row of values is a
            sequence in the order of the parts, or a mapping from the names of the parts. If `by` is given, `given` has
            only the names of the classes. If `sizes` is given, `given` is None.
        by: Function from the name of a class to its row of values. It is None if `given` has the values.
        sizes: Number of values of each part. Every combination is then a class. It is None if `given` describes the
            classes.
        least: Smallest number of classes that is accepted.

    Raises:
        InvalidArgumentError: If the table has another form, if a class is described twice, if two classes have the same
            values, if a value is missing, or if there are fewer than `least` classes.
        StorageError: If the file cannot be read.
    """
    if sizes is not None:
        if given is not None or by is not None:
            raise InvalidArgumentError(
                "'sizes' must be given without a table, got both; leave one out"
            )
        return table_of_sizes(sizes)
    if isinstance(given, str) and by is None and SIZES_TEXT.fullmatch(given):
        return table_of_sizes([int(size) for size in given.split(" x ")])
    rows = _listed_rows(given, by)
    if len(rows.rows) < least:
        raise InvalidArgumentError(
            f"'parts' must describe at least {least} classes, got {len(rows.rows)}"
        )
    return _numbered(rows)


@dataclass(frozen=True, eq=False)
class _Rows:
    rows: list[Row]  # values as they were given
    classes: list[str] | None  # None if the classes have no names
    parts: list[str]  # empty if the parts have no names


def _listed_rows(given: Any, by: Callable[[Any], Row] | None) -> _Rows:
    if by is not None:
        return _rows_by(by, given)
    if isinstance(given, str | Path):
        return _rows_of_text(given)
    if hasattr(given, "columns") and hasattr(given, "index"):
        return _rows_of_frame(given)
    if hasattr(given, "detach"):
        given = given.detach().cpu().numpy()
    if isinstance(given, Mapping):
        by_name = cast("Mapping[Any, Row]", given)
        return _Rows(list(by_name.values()), list(map(str, by_name)), [])
    if isinstance(given, Iterable):
        return _Rows(list(cast("Iterable[Row]", given)), None, [])
    raise InvalidArgumentError(
        f"'parts' must be a table of classes, or 'sizes' of parts, got {brief(given)}"
    )


def _rows_by(by: Callable[[Any], Row], given: Any) -> _Rows:
    if not callable(by) or not isinstance(given, Iterable):
        raise InvalidArgumentError(
            f"'by' must be a function, and 'parts' the names of classes, got {brief(by)} and {brief(given)}"
        )
    names = list(cast("Iterable[Any]", given))
    return _Rows([by(name) for name in names], list(map(str, names)), [])


def table_of_sizes(sizes: Sequence[int]) -> PartTable:
    """Return the table of all combinations of the values of parts.

    Args:
        sizes: Number of values of each part.

    Raises:
        InvalidArgumentError: If `sizes` is empty or not a list of integers of at least 2, or if there are more than
            2^40 combinations.

    >>> table_of_sizes((19, 21, 28)).num_classes
    11172
    """
    if not hasattr(sizes, "__iter__"):
        raise InvalidArgumentError(
            f"'sizes' must be a list with the number of values of each part, got {brief(sizes)}"
        )
    checked = [as_integer("sizes", size, minimum=2) for size in sizes]
    if not checked or prod(checked) > MOST_COMBINATIONS:
        raise InvalidArgumentError(
            f"'sizes' must have a product from 2 to 2**40, got {brief(tuple(checked))}"
        )
    values = tuple(tuple(map(str, range(size))) for size in checked)
    names = PartNames(_part_numbers(len(checked)), values)
    return PartTable(names, None)


def _part_numbers(count: int) -> tuple[str, ...]:
    return tuple(f"part {number}" for number in range(count))


def _rows_of_text(given: str | Path) -> _Rows:
    # text of several lines is the content of a .csv file; text of one line is the path of such a file
    if isinstance(given, str) and "\n" in given:
        lines = csv.reader(io.StringIO(given))
        cells = [[unguarded(cell) for cell in line] for line in lines if line]
        return _rows_of_lines(cells, "'table'")
    try:
        lines = read_csv(Path(given))
    except (OSError, ValueError, csv.Error) as error:
        cause = getattr(error, "strerror", None) or error
        raise StorageError(f"cannot read '{given}': {cause}") from error
    # a cell that is empty in a file is a part that somebody left out
    filled = [[cell or None for cell in line] for line in lines[1:]]
    return _rows_of_lines([*lines[:1], *filled], f"'{given}'")


def _rows_of_lines(lines: Sequence[Sequence[str | None]], source: str) -> _Rows:
    if len(lines) < 2 or len(lines[0]) < 2:
        raise InvalidArgumentError(
            f"{source} must have a heading, and in each line the name of a class and the values of its parts"
        )
    named = [line[0] or "" for line in lines[1:]]
    rows: list[Row] = [list(line[1:]) for line in lines[1:]]
    parts = [str(part) for part in lines[0][1:]]
    return _Rows(rows, named if any(named) else None, parts)


def _rows_of_frame(frame: Any) -> _Rows:
    # a data frame is an object with `index`, `columns` and `to_numpy`, as in pandas
    cells: list[Row] = list(frame.to_numpy())
    columns = [str(column) for column in frame.columns]
    index: list[Any] = list(frame.index)
    if _has_row_numbers(frame.index, index):
        names = [str(cast("Sequence[Any]", row)[0]) for row in cells]
        rows = [cast("Sequence[Any]", row)[1:] for row in cells]
        return _Rows(list(rows), names, columns[1:])
    return _Rows(cells, [str(name) for name in index], columns)


def _has_row_numbers(index: Any, labels: list[Any]) -> bool:
    # 0, 1, 2, ... are row numbers
    if labels == list(range(len(labels))):
        return True
    # other integers may be class names, but the index then has a name
    unnamed = getattr(index, "name", None) is None
    return unnamed and all(isinstance(label, int | np.integer) for label in labels)


def _numbered(table: _Rows) -> PartTable:
    # values are replaced by their indices
    numbering = _Numbering(table.parts)
    numbered: list[list[int]] = []
    for number, row in enumerate(table.rows):
        numbered.append(numbering.numbers_of(row, _class_name(table.classes, number)))
    _require_described_once(table.classes)
    require_different(numbered, table.classes)
    values = tuple(tuple(found) for found in numbering.values)
    classes = None if table.classes is None else tuple(table.classes)
    names = PartNames(tuple(numbering.parts), values, classes)
    _check_names(names)
    largest = max(len(found) for found in values)
    kind = np.min_scalar_type(largest - 1)
    return PartTable(names, np.array(numbered, dtype=kind))


def _class_name(classes: Sequence[str] | None, number: int) -> str:
    return f"number {number}" if classes is None else brief(classes[number])


class _Numbering:
    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = list(parts)  # if empty, the first row names the parts
        # for each part, the index of each value
        self.values: list[dict[str, int]] = [{} for _ in parts]
        self._has_dicts: bool | None = None  # until the first row

    def numbers_of(self, row: object, name: str) -> list[int]:
        # a value that no earlier row has gets the next index of its part
        if isinstance(row, str) or not isinstance(row, Sequence | Mapping | np.ndarray):
            raise InvalidArgumentError(
                f"'parts' must have a list of values for each class, got {brief(row)} for class {name}"
            )
        cells = self._cells(cast("Row", row), name)
        numbers: list[int] = []
        for part, cell, seen in zip(self.parts, cells, self.values, strict=True):
            if _is_missing(cell):
                raise InvalidArgumentError(
                    f"'parts' must have a value of {brief(part)} for each class, got none for class {name}"
                )
            numbers.append(seen.setdefault(str(cell), len(seen)))
        return numbers

    def _cells(self, row: Row, name: str) -> list[Any]:
        # if the parts have no names yet, they get the names of the keys of `row`, or numbers if `row` is a sequence
        has_dict = isinstance(row, Mapping)
        if self._has_dicts not in (None, has_dict):
            raise InvalidArgumentError(
                f"'parts' must have a dict for every class or a list of values for every class, "
                f"got {brief(row)} for class {name} after rows of the other kind"
            )
        self._has_dicts = has_dict
        if isinstance(row, Mapping):
            by_part = {str(part): value for part, value in row.items()}
            self._begin(list(by_part))
            unknown = by_part.keys() - set(self.parts)
            if unknown:
                raise InvalidArgumentError(
                    f"'parts' must be {', '.join(self.parts)}, got {brief(min(unknown))} for class {name}"
                )
            return [by_part.get(part) for part in self.parts]
        self._begin(_part_numbers(len(row)))
        if len(row) != len(self.parts):
            raise InvalidArgumentError(
                f"'parts' must have {len(self.parts)} values for each class, got {len(row)} for class {name}"
            )
        return list(row)

    def _begin(self, parts: Sequence[str]) -> None:
        if self.parts:
            return
        if not parts:
            raise InvalidArgumentError(
                "'parts' must have a value or more for each class, got none"
            )
        self.parts = list(parts)
        self.values = [{} for _ in parts]


def _is_missing(cell: Any) -> bool:
    # missing are None, NaN, which differs from itself, and NA of pandas, which has no truth value
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except TypeError:
        return True
    except ValueError as error:
        raise InvalidArgumentError(
            f"'parts' must have one value of each part for each class, got {brief(cell)}"
        ) from error


def _require_described_once(classes: Sequence[str] | None) -> None:
    described: set[str] = set()
    for name in classes or ():
        if name in described:
            raise InvalidArgumentError(
                f"'parts' must describe each class once, got class {brief(name)} twice"
                " (the first column of a .csv file has the names of the classes)"
            )
        described.add(name)


def require_different(
    numbered: Iterable[Sequence[int]], classes: Sequence[str] | None
) -> None:
    """Raise an error if two classes have the same values.

    Args:
        numbered: For each class, the indices of the values of its parts.
        classes: Names of the classes, for the error message. None if they have no names; the message then names a class
            by its index from 0.

    Raises:
        InvalidArgumentError: If two classes have the same values. The message names them.
    """
    first: dict[tuple[int, ...], int] = {}
    for number, row in enumerate(numbered):
        other = first.setdefault(tuple(row), number)
        if other != number:
            both = f"{_class_name(classes, other)} and {_class_name(classes, number)}"
            raise InvalidArgumentError(
                f"'parts' must tell classes apart, got the same values for {both}; one more part would"
            )


def _check_names(names: PartNames) -> None:
    texts = [*names.parts, *(names.classes or ())]
    for values in names.values:
        texts += values
    for text in texts:
        if not text.isprintable():
            raise InvalidArgumentError(
                f"'parts' must have names that can be printed, got {brief(text)}"
            )
    if len(set(names.parts)) < len(names.parts):
        raise InvalidArgumentError(
            f"'parts' must have different names for the parts, got {brief(names.parts)}"
        )
