"""Command `python -m tools linear`."""

from __future__ import annotations

import csv
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Json, Seed, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.errors import StorageError, as_integer
from protosphere.tables.linear_codes import LARGEST_DIMENSION, LARGEST_LENGTH
from tools.linear.hunt import hunt


def linear(
    targets: Path,
    /,
    *,
    groups: Whole = 100,
    seed: Seed = 0,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path(
        "linear_codes.csv"
    ),
    json: Json = False,
) -> None:
    """Search for linear codes that reach the minimum distances of a table. An interrupted run can be continued.

    Args:
        targets: Path of a .csv file with columns n (length), k (dimension) and lower (minimum distance to reach).
        groups: Number of random groups of automorphisms to try.
        output: Path of the table of codes, .csv. If the file does not exist, the search begins with the table of the
            package.
    """
    checked_output(output, (".csv",))
    wanted = target_distances(targets)
    with (
        ps.progress_bar("linear") as progress,
        as_file(files("protosphere.tables") / "linear_codes.csv") as shipped,
    ):
        count = as_integer("groups", groups, minimum=1)
        behind = hunt(
            output, wanted, groups=count, seed=seed, start=shipped, progress=progress
        ).behind(wanted)
    if json:
        print_json({"file": str(output), "behind": [list(cell) for cell in behind]})
    else:
        screen().print(
            f"written: {output} ({len(behind)} of {len(wanted)} cells are behind)"
        )


def target_distances(path: Path) -> dict[tuple[int, int], int]:
    """Return the minimum distances to reach, by length and dimension.

    Rows with lengths above 128 or dimensions above 17 are left out.

    Raises:
        StorageError: If the file cannot be read, has other columns, or has no other rows.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = {
                (int(row["n"]), int(row["k"])): int(row["lower"])
                for row in csv.DictReader(file)
            }
    except OSError as error:
        raise StorageError(f"cannot read '{path}': {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"cannot read '{path}': it must be a .csv with columns n, k and lower"
        ) from error
    within = {
        (n, k): d
        for (n, k), d in rows.items()
        if k <= min(n, LARGEST_DIMENSION) and n <= LARGEST_LENGTH
    }
    if not within:
        raise StorageError(
            f"cannot read '{path}': it has no rows of lengths up to 128 and dimensions up to 17"
        )
    return within
