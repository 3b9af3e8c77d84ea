"""Tables as .csv files that a spreadsheet opens without taking a text for a formula, and that we read back the same.

Texts of others are among the cells: names of data, reasons why a run failed. One that begins like a formula gets an
apostrophe before it, which spreadsheets take for the sign of a text; so does one that begins with an apostrophe.
"""

import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from protosphere.storage.files import replace_file
from protosphere.storage.npz import unpacked

LONGEST_ROW = 1 << 20
"""Characters of a row of a table."""

FORMULA_STARTS = "=+-@\t\r"
TEXT_MARK = "'"

_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?(/\d+)?")


def guarded(cell: Any) -> Any:
    """A cell as it is written: a text that begins like a formula, and is not just a number, with the mark before it.

    >>> guarded("=1+1"), guarded("-1/9"), guarded(-0.5)
    ("'=1+1", '-1/9', -0.5)
    """
    text = (
        isinstance(cell, str)
        and cell.startswith((*FORMULA_STARTS, TEXT_MARK))
        and not _NUMBER.fullmatch(cell)
    )
    return TEXT_MARK + cell if text else cell


def unguarded(cell: str) -> str:
    """The text that was written.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    if cell.startswith(TEXT_MARK) and cell[1:].startswith((*FORMULA_STARTS, TEXT_MARK)):
        return cell[1:]
    return cell


def write_csv(
    path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> Path:
    """Write the rows under a line of the columns' names; floats in full, None and what a row lacks as nothing.

    A file whose name ends in .gz is packed, the same rows to the same bytes.
    """

    def write(beside: Path) -> None:
        file = io.StringIO(newline="")
        plain = csv.writer(file, lineterminator="\n")
        quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for cells in (columns, *([row.get(name) for name in columns] for row in rows)):
            odd = any(
                "\r" in cell for cell in cells if isinstance(cell, str)
            )  # not every version quotes it
            (quoting if odd else plain).writerow([guarded(cell) for cell in cells])
        text = file.getvalue().encode()
        beside.write_bytes(
            gzip.compress(text, mtime=0) if path.suffix == ".gz" else text
        )

    return replace_file(path, write)


def read_csv(path: Path) -> list[list[str]]:
    """The cells of all lines that are not empty, as they were before they were written."""
    return list(csv_rows(path))


def csv_rows(path: Path) -> Iterator[list[str]]:
    """Yield what `read_csv` lists, one row at a time, so that a reader can stop at the first that is wrong.

    Raises:
        StorageError: If the file's name ends in .gz and it unpacks to far more than a table does.
        ValueError: If a row, with empty lines before it, has more than `LONGEST_ROW` characters.
    """
    with unpacked(path) if path.suffix == ".gz" else path.open("rb") as content:
        file = io.TextIOWrapper(content, newline="", encoding="utf-8")
        characters = 0

        def lines() -> Iterator[str]:
            nonlocal characters
            while line := file.readline(LONGEST_ROW + 1):
                characters += len(line)
                if characters > LONGEST_ROW:
                    raise ValueError(f"a row has more than {LONGEST_ROW} characters")
                yield line

        for row in csv.reader(lines()):
            if row:
                characters = 0
                yield [unguarded(cell) for cell in row]
