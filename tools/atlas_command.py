"""Command `python -m tools atlas`."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.output import checked_output
from protosphere.cli.screen import screen
from protosphere.tables.atlas import AtlasRow, read_atlas, save_atlas, shipped_atlas
from tools.atlas import remade

DARK = 0.1
"""Pairs (K, n) whose maximum cosine is further than this above the converse are printed."""


def atlas(
    *,
    old: Path | None = None,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path("atlas.csv.gz"),
) -> None:
    """Make the atlas of the package again, from guarantees and the catalogue.

    A value of the old atlas is kept if it is lower than the new one.

    Args:
        old: Path of the old atlas. The default is the atlas of the package.
        output: Path of the new atlas, .csv or .csv.gz.
    """
    checked_output(output, (".csv", ".gz"))
    before = shipped_atlas() if old is None else read_atlas(old)
    with ps.progress_bar("atlas") as progress:
        rows = remade(before, progress)
    save_atlas(output, rows)
    now = {(row.num_classes, row.dim): row for row in rows}
    again = [now[row.num_classes, row.dim] for row in before]
    screen().print(
        f"written: {output} ({len(rows)} rows); median gap over {len(before)} cells:",
        end=" ",
    )
    screen().print(
        f"{median(map(_gap, before)):.5f} before, {median(map(_gap, again)):.5f} now"
    )
    for row, better in zip(before, again, strict=True):
        if _gap(row) > DARK:
            cell = f"K = {row.num_classes}, n = {row.dim}, converse {row.converse:.4f}"
            screen().print(
                f"{cell}: {row.max_cosine:.4f} ({row.scheme}), now {better.max_cosine:.4f} ({better.scheme})"
            )


def _gap(row: AtlasRow) -> float:
    return max(0.0, row.max_cosine - row.converse)
