"""`protosphere atlas`."""

import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Json, OutputPath, Seed, Switch, Whole
from protosphere.cli.dims import parsed_dims, whole
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import print_answer, print_codes, print_json, screen
from protosphere.constructions.survey import check_atlas, write_atlas
from protosphere.errors import as_integer, brief
from protosphere.plots.gap_map import draw_gap_map
from protosphere.tables.atlas import AtlasRow, read_atlas, shipped_atlas


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
    if check is not None:
        as_integer("check", check, minimum=1)
    if not shipped:
        checked_output(output, (".csv",))
    if shipped or check is not None:
        rows = shown = shipped_atlas() if shipped else read_atlas(output)
    else:
        cells = _cells(classes, dims)
        with ps.progress_bar() as progress:
            rows = write_atlas(
                output, cells, iterations=iterations, seed=seed, progress=progress
            )
        shown = [row for row in rows if (row.num_classes, row.dim) in set(cells)]
    if figure is not None:
        draw_gap_map(shown, figure)
    if check is not None:
        _check(rows, "the shipped atlas" if shipped else str(output), check, seed, json)
        return
    if json:
        print_json([asdict(row) for row in shown])
        return
    print_codes(
        ("K", "n", "best", "converse"),
        map(_row, shown),
        "* meets the converse: optimal",
    )
    if not shipped:
        screen().print(f"written: {output} ({len(rows)} rows)")


def _cells(classes: str, dims: str) -> list[tuple[int, int]]:
    """The (K, n) asked for."""
    refused = ps.InvalidArgumentError(
        f"--classes must be like 10,100,1000, got {brief(classes)}"
    )
    counts = [whole(part, refused) for part in classes.split(",")]
    return [(count, dim) for count in counts for dim in parsed_dims(dims, count)]


def _check(
    rows: Sequence[AtlasRow], name: str, check: int, seed: int, json: bool
) -> None:
    """So many rows built anew, and a line that says so."""
    if not rows:
        raise ps.StorageError(f"'{name}' has no rows to check")
    drawn = random.Random(seed).sample(rows, min(check, len(rows)))
    with ps.progress_bar() as progress:
        count = check_atlas(drawn, progress)
    said = f"{name}: {count} of {len(rows)} rows built anew, all as good as they say"
    print_answer({"file": name, "rows": len(rows), "checked": count}, [said], json=json)


def _row(row: AtlasRow) -> tuple[str, ...]:
    best = f"{row.max_cosine:.5f}{' *' if row.optimal else '  '}"
    return (
        str(row.num_classes),
        str(row.dim),
        best,
        f"{row.converse:.5f}",
        f"{row.scheme}: {row.recipe}",
    )
