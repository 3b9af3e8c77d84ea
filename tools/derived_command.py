"""`python -m tools derived`."""

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
    """Hunt for sections of the Leech lattice that no other code of ours is as good as; run again, it adds to the file.

    Args:
        steps: How many sections of each shell are cut further, the largest first.
        least: Points that a section must have.
        lowest: Dimensions that it must have.
        output: The table, .csv; where it is not there yet, it begins as the package's own.
    """
    checked_output(output, (".csv",))
    known = read_derived_codes(output) if output.exists() else shipped_derived_codes()
    with ps.progress_bar("derived") as progress:
        rows = hunt_derived(
            known, steps=steps, least=least, lowest=lowest, seed=seed, progress=progress
        )
    write_csv(output, column_names(DerivedCodeRow), [asdict(row) for row in rows])
    screen().print(f"written: {output} ({len(rows)} codes)")
