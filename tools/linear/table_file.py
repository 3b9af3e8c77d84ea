"""The file of a table of linear codes, written; `known.linear_codes` reads it."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from protosphere.files import replace_file
from protosphere.known.linear_codes import LinearCodeRow
from protosphere.known.tables import column_names


def save_linear_codes(path: str | Path, rows: Iterable[LinearCodeRow]) -> None:
    """Write the rows, each below those it begins with, the file being replaced as a whole."""

    def write(beside: Path) -> None:
        with beside.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, column_names(LinearCodeRow), lineterminator="\n")
            table.writeheader()
            table.writerows(asdict(row) for row in rows)

    replace_file(Path(path), write)
