"""Command `python -m tools records`."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Json, Seed
from protosphere.cli.screen import print_json, screen
from protosphere.constructions.descents.optimized import algebraic_codes
from protosphere.errors import StorageError
from tools.records import Record, TableRow
from tools.records import records as measured_records

COLUMNS = ("dim", "num_points", "max_cosine")


def records(
    table: Path,
    /,
    *,
    budget: float = 60.0,
    seed: Seed = 0,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path("records.jsonl"),
    points: Path | None = None,
    json: Json = False,
) -> None:
    """Search for codes for the rows of a table of best known maximum cosines, and compare the results with the table.

    An interrupted run continues.

    Args:
        table: Path of a .csv file with columns dim, num_points and max_cosine.
        budget: Seconds for each row.
        output: Path of the JSON-lines file of finished rows.
        points: Folder for the codes that were found, with a file for each row.
    """
    rows = table_rows(table)
    if points is not None:
        points.mkdir(parents=True, exist_ok=True)
    console = screen()
    found = list[Record]()
    if not json:
        console.print(
            f"{'n':>4s} {'K':>6s} {'ours':>12s} {'table':>12s} {'difference':>11s}  start",
            style="bold",
        )
    with ps.progress_bar() as progress:
        for record in measured_records(
            rows,
            output,
            budget_seconds=budget,
            seed=seed,
            given=algebraic_codes,
            points_folder=points,
            progress=progress,
        ):
            found.append(record)
            if not json:
                console.print(line(record))
    if json:
        print_json([asdict(record) for record in found])
        return
    console.print(summary(found))


def line(record: Record) -> str:
    """Return a record as a line of the printed table."""
    values = (
        f"{record.max_cosine:12.9f} {record.table:12.9f} {record.difference:+11.2e}"
    )
    return f"{record.dim:4d} {record.num_points:6d} {values}  {record.kind}"


def summary(found: Sequence[Record]) -> str:
    """Return a text that counts the rows near the values of the table, and the rows with a lower maximum cosine."""
    differences = [record.difference for record in found]
    near = [
        f"{sum(d <= limit for d in differences)} within {name}"
        for limit, name in LIMITS
    ]
    beaten = sum(d < -1e-6 for d in differences)
    return f"{len(found)} rows: {', '.join(near)}, {beaten} beaten; median {median(differences):+.2e}"


LIMITS = ((1e-6, "1e-6"), (0.01, "1 %"), (0.1, "10 %"))


def table_rows(path: Path) -> list[TableRow]:
    """Read the rows of the table.

    Raises:
        StorageError: If the file cannot be read, has other columns, or has no rows.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [
                (int(r[COLUMNS[0]]), int(r[COLUMNS[1]]), float(r[COLUMNS[2]]))
                for r in csv.DictReader(file)
            ]
    except OSError as error:
        raise StorageError(f"cannot read '{path}': {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"cannot read '{path}': it must be a .csv with columns {', '.join(COLUMNS)}"
        ) from error
    if not rows:
        raise StorageError(f"cannot read '{path}': it has no rows")
    return rows
