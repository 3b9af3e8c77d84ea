"""`protosphere atlas`."""

from __future__ import annotations

import random
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

import protosphere as ps
from protosphere.atlas import AtlasRow, check_atlas, read_atlas, write_atlas
from protosphere.cli.arguments import Json, Seed, Whole
from protosphere.cli.dims import parsed_dims, whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.errors import as_integer


def atlas(
    *,
    classes: str = "10,100,1000,10000",
    dims: str = "2:1024",
    iterations: Whole | None = None,
    seed: Seed = 0,
    check: Whole | None = None,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path("atlas.csv"),
    json: Json = False,
) -> None:
    """The best known max cosine for many (K, n), in one file; run again, it goes on where it stopped.

    Args:
        classes: Numbers of classes, with commas between.
        dims: 4:256 for the telling dimensions in that range, 10:100:5 for every fifth one, or a list such as 16,32,64.
        iterations: Of the optimiser in every cell, which give the same bits every time; 0 for algebra alone.
        check: Instead, build so many rows of the file anew, drawn by the seed, and compare.
        output: The file, .csv.
    """
    checked_output(output, (".csv",))
    with ps.progress_bar() as progress:
        if check is not None:
            as_integer("check", check, minimum=1)
            rows = read_atlas(output)
            drawn = random.Random(seed).sample(rows, min(check, len(rows)))
            count = check_atlas(drawn, progress)
            report = {"file": str(output), "rows": len(rows), "checked": count}
            said = f"{output}: {count} of {len(rows)} rows built anew, all as good as they say"
            print_json(report) if json else screen().print(said)
            return
        counts = [whole(part, classes) for part in classes.split(",")]
        cells = [(count, dim) for count in counts for dim in parsed_dims(dims, count)]
        rows = write_atlas(output, cells, iterations=iterations, seed=seed, progress=progress)
    shown = [row for row in rows if (row.num_classes, row.dim) in set(cells)]
    if json:
        print_json([asdict(row) for row in shown])
        return
    print_atlas(shown)
    screen().print(f"written: {output} ({len(rows)} rows)")


def print_atlas(rows: list[AtlasRow]) -> None:
    """A line a cell."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in ("K", "n", "best", "converse"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("scheme: recipe", overflow="fold")
    for row in rows:
        mark = " *" if row.optimal else "  "
        values = (str(row.num_classes), str(row.dim), f"{row.max_cosine:.5f}{mark}", f"{row.converse:.5f}")
        table.add_row(*values, f"{row.scheme}: {row.recipe}")
    screen().print(table)
    screen().print("* meets the converse: optimal", style="dim")
