"""Write a table of linear codes to a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from protosphere.storage.csv_files import write_csv
from protosphere.tables.linear_codes import LinearCodeRow
from protosphere.tables.table_files import column_names


def save_linear_codes(path: str | Path, rows: Iterable[LinearCodeRow]) -> None:
    """Write a table of linear codes as .csv, replacing the file atomically.

    A row must come after the rows from which its code is made.
    """
    write_csv(Path(path), column_names(LinearCodeRow), [asdict(row) for row in rows])
