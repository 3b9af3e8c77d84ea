"""`protosphere atlas`."""

import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

import protosphere as ps
from protosphere.cli.arguments import Json, OutputPath, Seed, Switch, Whole
from protosphere.cli.dims import parsed_dims, whole
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.constructions.survey import check_atlas, write_atlas
from protosphere.errors import as_integer, brief
from protosphere.known.atlas import AtlasRow, read_atlas, shipped_atlas
from protosphere.plots.gap_map import draw_gap_map
from protosphere.types import Progress


def atlas(
    *,
    classes: str = "10,100,1000,10000",
    dims: str = "2:1024",
    iterations: Whole | None = None,
    seed: Seed = 0,
    check: Whole | None = None,
    shipped: Switch = False,
    figure: Path | None = None,
    output: OutputPath = Path("atlas.csv"),
    json: Json = False,
) -> None:
    """The best known max cosine for many (K, n), in one file; run again, it goes on where it stopped.

    Args:
        classes: Numbers of classes, with commas between.
        dims: 4:256 for the telling dimensions in that range, 10:100:5 for every fifth one, or a list such as 16,32,64.
        iterations: Of the optimiser in every cell; 0 for what is known already.
        check: Instead, build so many rows of the file anew, drawn by the seed, and compare.
        shipped: Look at the atlas that comes with the package instead of computing one.
        figure: Also draw the gaps to the converse as a map: .png, .pdf or .svg.
        output: The file, .csv.
    """
    checked_output(figure, FIGURE_ENDINGS)
    if shipped:
        _show_shipped(check, seed, figure, json)
        return
    checked_output(output, (".csv",))
    with ps.progress_bar() as progress:
        if check is not None:
            as_integer("check", check, minimum=1)
            _check(read_atlas(output), str(output), check, seed, progress, json)
            return
        refused = ps.InvalidArgumentError(f"--classes must be like 10,100,1000, got {brief(classes)}")
        counts = [whole(part, refused) for part in classes.split(",")]
        cells = [(count, dim) for count in counts for dim in parsed_dims(dims, count)]
        rows = write_atlas(output, cells, iterations=iterations, seed=seed, progress=progress)
    shown = [row for row in rows if (row.num_classes, row.dim) in set(cells)]
    if figure is not None:
        draw_gap_map(shown, figure)
    if json:
        print_json([asdict(row) for row in shown])
        return
    print_atlas(shown)
    screen().print(f"written: {output} ({len(rows)} rows)")


def _check(rows: Sequence[AtlasRow], name: str, check: int, seed: int, progress: Progress, json: bool) -> None:
    """So many rows built anew, and a line that says so."""
    if not rows:
        raise ps.StorageError(f"'{name}' has no rows to check")
    drawn = random.Random(seed).sample(rows, min(check, len(rows)))
    count = check_atlas(drawn, progress)
    report = {"file": name, "rows": len(rows), "checked": count}
    said = f"{name}: {count} of {len(rows)} rows built anew, all as good as they say"
    print_json(report) if json else screen().print(said)


def _show_shipped(check: int | None, seed: int, figure: Path | None, json: bool) -> None:
    """The package's own atlas: checked, drawn or printed."""
    rows = list(shipped_atlas())
    if figure is not None:
        draw_gap_map(rows, figure)
    if check is not None:
        with ps.progress_bar() as progress:
            _check(rows, "the shipped atlas", as_integer("check", check, minimum=1), seed, progress, json)
    elif json:
        print_json([asdict(row) for row in rows])
    else:
        print_atlas(rows)


def print_atlas(rows: list[AtlasRow]) -> None:
    """A line per cell."""
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
