"""Tables as .csv files that a spreadsheet opens without taking a text for a formula, and that we read back the same.

Texts of others are among the cells: names of data, reasons why a run failed. One that begins like a formula gets an
apostrophe before it, which spreadsheets take for the sign of a text; so does one that begins with an apostrophe.
"""

import csv
import gzip
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from protosphere.files import replace_file

FORMULA_STARTS = "=+-@\t\r"
TEXT_MARK = "'"

_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?(/\d+)?")


def guarded(cell: Any) -> Any:
    """A cell as it is written: a text that begins like a formula, and is not just a number, with the mark before it.

    >>> guarded("=1+1"), guarded("-1/9"), guarded(-0.5)
    ("'=1+1", '-1/9', -0.5)
    """
    text = isinstance(cell, str) and cell.startswith((*FORMULA_STARTS, TEXT_MARK)) and not _NUMBER.fullmatch(cell)
    return TEXT_MARK + cell if text else cell


def unguarded(cell: str) -> str:
    """The text that was written.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith(TEXT_MARK) and cell[1:].startswith((*FORMULA_STARTS, TEXT_MARK)) else cell


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write the rows under a line of the columns' names; floats in full, None and what a row lacks as nothing.

    A file whose name ends in .gz is packed, the same rows to the same bytes.
    """

    def write(beside: Path) -> None:
        file = io.StringIO(newline="")
        plain = csv.writer(file, lineterminator="\n")
        quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for cells in (columns, *([row.get(name) for name in columns] for row in rows)):
            odd = any("\r" in cell for cell in cells if isinstance(cell, str))  # not every version quotes it
            (quoting if odd else plain).writerow([guarded(cell) for cell in cells])
        text = file.getvalue().encode()
        beside.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)

    return replace_file(path, write)


def read_csv(path: Path) -> list[list[str]]:
    """The cells of all lines that are not empty, as they were before they were written."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="", encoding="utf-8") as file:
        return [[unguarded(cell) for cell in row] for row in csv.reader(file) if row]
