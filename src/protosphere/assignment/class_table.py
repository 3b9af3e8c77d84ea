"""Vectors of classes from a table: word vectors, attributes, or whatever else is known of each class by its name."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from protosphere.assignment.similarity import similarity_from_embeddings
from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.types import Points


def similarity_from_table(path: Path | str, class_names: Sequence[str]) -> Points:
    """Cosines of the classes' vectors in a .csv file, after their mean is taken out.

    The file has a line of headings, a class's name in the first cell of a line, and its vector in the columns that hold
    numbers throughout; other columns, and other classes, are passed over.
    """
    rows = _rows(Path(path))
    absent = next((name for name in class_names if name not in rows), None)
    if absent is not None:
        raise InvalidArgumentError(f"'{path}' has no line for the class {brief(absent)}")
    cells = [rows[name] for name in class_names]
    numbers = [column for column in zip(*cells, strict=False) if all(map(_is_number, column))]
    if not numbers:
        raise InvalidArgumentError(f"'{path}' has no column of numbers; each class needs its vector")
    return similarity_from_embeddings(np.array(numbers, dtype=np.float64).T)


def _rows(path: Path) -> Mapping[str, list[str]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [cells for cells in csv.reader(file) if cells]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StorageError(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from error
    rows = {cells[0]: cells[1:] for cells in lines}
    if len(rows) < len(lines):
        twice = next(cells[0] for cells in lines if cells[1:] != rows[cells[0]] or lines.count(cells) > 1)
        raise InvalidArgumentError(f"'{path}' has two lines for the class {brief(twice)}")
    return rows


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
