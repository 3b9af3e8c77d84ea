"""Write CSV tables in which spreadsheets find no formulas, and read such tables back unchanged.

Tables may contain text from users, such as names of datasets or reasons why a run failed. If a text begins like a
formula, or with an apostrophe, an apostrophe is written in front of the text. Spreadsheets treat a cell that begins
with an apostrophe as text.
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
"""Largest number of characters of a row of a table."""

FORMULA_STARTS = "=+-@\t\r"
TEXT_MARK = "'"

_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?(/\d+)?")


def guarded(cell: Any) -> Any:
    """Return the value of a cell in the form in which it is written into a CSV file.

    - Text that a spreadsheet could take for a formula gets an apostrophe in front. Such text begins with =, +, -, @, a
      tab or a carriage return, and is not a number.
    - Text that begins with an apostrophe gets a second apostrophe in front, so that `unguarded` can restore the text.
    - Everything else, such as '-1/9' or the float -0.5, is returned unchanged.

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
    """Return the text of a cell without the apostrophe that `guarded` may have put in front of it.

    The text "'tis" has an apostrophe of its own, which `guarded` would have doubled. Therefore it is returned
    unchanged.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    if cell.startswith(TEXT_MARK) and cell[1:].startswith((*FORMULA_STARTS, TEXT_MARK)):
        return cell[1:]
    return cell


def write_csv(
    path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> Path:
    """Write a CSV file: a line with the names of the columns, then one line per row.

    Floats are written in full precision. A value that is None, or that a row lacks, becomes an empty cell. Text that a
    spreadsheet could take for a formula gets an apostrophe in front. If the name of the file ends in .gz, the file is
    compressed by gzip, without a time stamp, so that equal rows give equal files.

    Args:
        path: The file, which is replaced atomically.
        columns: Names of the columns.
        rows: For each row, a mapping from column names to values.

    Returns:
        `path`.
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
    """Return the rows of a CSV file, including the header row, as lists of cells.

    Empty lines are left out. Apostrophes that `write_csv` added are removed.

    Args:
        path: A .csv or .csv.gz file.

    Raises:
        StorageError: If a .gz file expands to more than 64 MiB, and this is also more than 100 times its size.
        ValueError: If a row, together with the empty lines before it, has more than 2^20 characters.
    """
    return list(csv_rows(path))


def csv_rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a CSV file, including the header row, one at a time, as lists of cells.

    Empty lines are left out. Apostrophes that `write_csv` added are removed. The caller can stop reading at the first
    invalid row.

    Args:
        path: A .csv or .csv.gz file.

    Raises:
        StorageError: If a .gz file expands to more than 64 MiB, and this is also more than 100 times its size.
        ValueError: If a row, together with the empty lines before it, has more than 2^20 characters.
    """
    with unpacked(path) if path.suffix == ".gz" else path.open("rb") as content:
        file = io.TextIOWrapper(content, newline="", encoding="utf-8-sig")
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
