"""Compare codes that protosphere finds with a table of best known maximum cosines."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import protosphere as ps
from protosphere.errors import StorageError
from protosphere.geometry.sphere import padded
from protosphere.search.code_search import search_code
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.types import Points, Progress, ignore

Given = Callable[[int, int], Sequence[Points]]
"""Type of a function from K and n to codes of about this size, from which a search starts."""

TableRow = tuple[int, int, float]
"""Dimension, number of points, best-known largest cosine."""


@dataclass(frozen=True)
class Record:
    """Result for one row of the table.

    Attributes:
        dim, num_points: Dimension n and number of points K.
        max_cosine: Maximum cosine of the code that protosphere found.
        table: Best known maximum cosine, from the table.
        difference: Result of `relative_difference`.
        kind: Start from which the search found the code.
        seconds, seed: Time and seed of the search.
    """

    dim: int
    num_points: int
    max_cosine: float
    table: float
    difference: float
    kind: str
    seconds: float
    seed: int


def relative_difference(ours: float, table: float) -> float:
    """Return (`ours` - `table`) / |`table`|, or `ours` - `table` if |`table`| is at most 0.001."""
    return (ours - table) / (abs(table) if abs(table) > 1e-3 else 1.0)


def stored_records(path: Path) -> list[Record]:
    """Return the records in a JSON-lines file; an empty list if there is no file. An incomplete last line is ignored.

    Raises:
        StorageError: If another line is not a record.
    """
    if not path.exists():
        return []
    records: list[Record] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            records.append(Record(**json.loads(line)))
        except (ValueError, TypeError) as error:
            if number < len(lines):
                raise StorageError(
                    f"'{path}' is not a file of records, got {line[:40]!r} in line {number}"
                ) from error
    return records


def no_codes(num_points: int, dim: int) -> Sequence[Points]:
    """Return an empty sequence: the search gets no codes to start from."""
    del num_points, dim
    return ()


def points_path(folder: Path, dim: int, num_points: int) -> Path:
    """Return the path of the file for the points of a row."""
    return folder / f"{dim}-{num_points}.safetensors"


def _measured(
    row: TableRow,
    seconds: float,
    seed: int,
    given: Given,
    points_folder: Path | None,
    progress: Progress,
) -> Record:
    dim, num_points, table = row
    entry = shipped_catalogue().best_entry(num_points, dim)
    if entry is None:
        kept = []
    else:
        kept = [padded(shipped_catalogue().build(entry, progress)[:num_points], dim)]
    found = search_code(
        num_points,
        dim,
        rng=np.random.default_rng([seed, dim, num_points]),
        budget=seconds,
        start_points=given(num_points, dim),
        catalogued=kept,
        target=table + 1e-9 if math.isfinite(table) else -1.0,
        progress=progress,
    )
    if points_folder is not None:
        code = ps.from_points(found.points, normalize=True)
        code.save(points_path(points_folder, dim, num_points))
    difference = relative_difference(found.max_cosine, table)
    return Record(
        dim,
        num_points,
        found.max_cosine,
        table,
        difference,
        found.initialization,
        seconds,
        seed,
    )


def records(
    rows: Iterable[TableRow],
    store_path: Path,
    *,
    budget_seconds: float = 60.0,
    seed: int = 0,
    given: Given = no_codes,
    points_folder: Path | None = None,
    progress: Progress = ignore,
) -> Iterator[Record]:
    """Yield the record of each row of the table.

    A record in `store_path` with the same seed and budget is used again. Otherwise, a search is run, and its record is
    appended to `store_path` before it is yielded.

    Args:
        rows: Rows of the table.
        store_path: Path of the JSON-lines file of records.
        budget_seconds: Time for the search of a row.
        seed: Seed of the searches.
        given: Function from K and n to codes to start from, such as `constructions.optimized.algebraic_codes`.
        points_folder: Folder in which the code of each new record is saved; None to save no codes.
        progress: Called during each search.
    """
    stored = [
        record
        for record in stored_records(store_path)
        if (record.seed, record.seconds) == (seed, budget_seconds)
    ]
    done = {(record.dim, record.num_points): record for record in stored}
    for row in rows:
        record = done.get((row[0], row[1]))
        if record is None:
            record = _measured(
                row, budget_seconds, seed, given, points_folder, progress
            )
            with store_path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(record)) + "\n")
        yield record
