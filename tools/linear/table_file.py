"""Writing of the file of a table of linear codes; `known.linear_codes` reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from protosphere.storage.csv_files import write_csv
from protosphere.tables.linear_codes import LinearCodeRow
from protosphere.tables.table_files import column_names


def save_linear_codes(path: str | Path, rows: Iterable[LinearCodeRow]) -> None:
    """Write the rows, each after the rows from which its code is made, replacing the file atomically."""
    write_csv(Path(path), column_names(LinearCodeRow), [asdict(row) for row in rows])
