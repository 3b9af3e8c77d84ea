"""Command `python -m tools designs`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Seed, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import screen
from protosphere.constructions.frames.designs import (
    PARENTS,
    DesignRow,
    read_designs,
    shipped_designs,
)
from protosphere.storage.csv_files import write_csv
from protosphere.tables.table_files import column_names
from tools.designs import hunt_designs


def designs(
    *,
    seconds: Whole = 60,
    most_points: Whole = 2600,
    seed: Seed = 0,
    parent: tuple[str, ...] = tuple(PARENTS),
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path("designs.csv"),
) -> None:
    """Search for designs that are better than all other known codes, and add them to a table.

    Args:
        seconds: Time for each parent.
        most_points: Largest number of points of a design.
        parent: Name of a parent code, whose codewords are used. The option can be repeated. The default is all parents.
        output: Path of the table, .csv. If the file does not exist, the search begins with the table of the package.
    """
    checked_output(output, (".csv",))
    known = read_designs(output) if output.exists() else shipped_designs()
    with ps.progress_bar("designs") as progress:
        rows = hunt_designs(
            known,
            parent,
            seconds=seconds,
            most_points=most_points,
            seed=seed,
            progress=progress,
        )
    write_csv(output, column_names(DesignRow), [asdict(row) for row in rows])
    screen().print(f"written: {output} ({len(rows)} designs)")
