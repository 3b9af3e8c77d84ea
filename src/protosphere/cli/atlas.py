"""Command `protosphere atlas`, which writes, checks or shows an atlas.

An atlas is a table of the best known maximum cosine for many pairs (K, n), where K is the number of classes and n is
the dimension. An evaluation of a search computes the quantity that the search minimizes, and its gradient, for one set
of points.

The function of the command has these arguments, whose help texts are not in its docstring:

- `seed` is the seed of all random choices.
- `json` is True to print JSON, and False to print text.
"""

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
    """Write the best known maximum cosine for many (K, n) to one file.

    If the command is interrupted, the same command continues where it stopped.

    Args:
        classes: Numbers of classes K, separated by commas.
        dims: Dimensions n. 16,32,64 is a list, and 10:100:5 stands for 10, 15, 20, ..., 100.
            4:256 stands for all numbers 2^m, 2^m - 1, K/2 (rounded up), K - 1 and K from 4 to 256.
        iterations: Number of evaluations of the search for each (K, n). With 0, only known codes are used.
        check: Rebuild this many codes of the file, drawn at random, instead of computing an atlas.
            Their maximum cosines are compared with the recorded ones.
        shipped: Show the atlas of the package instead of computing one.
        figure: Path of a figure to draw (.png, .pdf or .svg).
            It is a map of the gaps between the maximum cosines and the converse.
            The converse is a proved lower bound on the maximum cosine of any K points in R^n.
        output: Path of the .csv file to write.
    """
    checked_output(figure, FIGURE_ENDINGS)
    if check is not None:
        as_integer("check", check, minimum=1)
    if not shipped:
        checked_output(output, (".csv",))
    if shipped:
        rows = shown = shipped_atlas()
    elif check is not None:
        rows = shown = read_atlas(output)
    else:
        pairs = _class_dim_pairs(classes, dims)
        with ps.progress_bar() as progress:
            rows = write_atlas(
                output, pairs, iterations=iterations, seed=seed, progress=progress
            )
        wanted = set(pairs)
        shown = [row for row in rows if (row.num_classes, row.dim) in wanted]
    if figure is not None:
        draw_gap_map(shown, figure)
    if check is not None:
        name = "the shipped atlas" if shipped else str(output)
        _check(rows, name, check, seed, json)
    elif json:
        print_json([asdict(row) for row in shown])
    else:
        print_codes(
            ("K", "n", "best", "converse"),
            [_row(row) for row in shown],
            "* meets the converse: optimal",
        )
        if not shipped:
            screen().print(f"written: {output} ({len(rows)} rows)")


def _class_dim_pairs(classes: str, dims: str) -> list[tuple[int, int]]:
    refused = ps.InvalidArgumentError(
        f"--classes must be like 10,100,1000, got {brief(classes)}"
    )
    counts = [whole(part, refused) for part in classes.split(",")]
    return [(count, dim) for count in counts for dim in parsed_dims(dims, count)]


def _check(
    rows: Sequence[AtlasRow], name: str, check: int, seed: int, json: bool
) -> None:
    if not rows:
        raise ps.StorageError(f"'{name}' has no rows to check")
    drawn = random.Random(seed).sample(rows, min(check, len(rows)))
    with ps.progress_bar() as progress:
        count = check_atlas(drawn, progress)
    record = {"file": name, "rows": len(rows), "checked": count}
    line = f"{name}: {count} of {len(rows)} rows rebuilt, all with the max cosine of their row"
    print_answer(record, [line], json=json)


def _row(row: AtlasRow) -> tuple[str, ...]:
    mark = " *" if row.optimal else "  "
    return (
        str(row.num_classes),
        str(row.dim),
        f"{row.max_cosine:.5f}{mark}",
        f"{row.converse:.5f}",
        f"{row.scheme}: {row.description}",
    )
