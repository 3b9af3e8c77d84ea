"""Command `python -m tools derived`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Seed, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import screen
from protosphere.constructions.lattices.derived_code import (
    DerivedCodeRow,
    read_derived_codes,
    shipped_derived_codes,
)
from protosphere.storage.csv_files import write_csv
from protosphere.tables.table_files import column_names
from tools.derived import hunt_derived


def derived(
    *,
    steps: Whole = 300,
    least: Whole = 250,
    lowest: Whole = 17,
    seed: Seed = 0,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path(
        "derived_codes.csv"
    ),
) -> None:
    """Search for sections of the Leech lattice that are better than all other known codes, and add them to a table.

    Args:
        steps: Number of sections of each shell that are cut further, the largest first.
        least: Smallest number of points of a section.
        lowest: Smallest dimension of a section.
        output: Path of the table, .csv. If the file does not exist, the search begins with the table of the package.
    """
    checked_output(output, (".csv",))
    known = read_derived_codes(output) if output.exists() else shipped_derived_codes()
    with ps.progress_bar("derived") as progress:
        rows = hunt_derived(
            known, steps=steps, least=least, lowest=lowest, seed=seed, progress=progress
        )
    write_csv(output, column_names(DerivedCodeRow), [asdict(row) for row in rows])
    screen().print(f"written: {output} ({len(rows)} codes)")
