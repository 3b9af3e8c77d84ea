"""`protosphere catalogue`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cataloguing import MOST_POINTS, check_recipes, make_catalogue, remeasured
from protosphere.cli.arguments import Json, Seed, Whole
from protosphere.cli.dims import parsed_dims, whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.errors import as_integer, as_positive
from protosphere.optimize.catalogue import Catalogue, read_catalogue, shipped_catalogue, write_catalogue


def catalogue(
    *,
    file: Path | None = None,
    check: Whole | None = None,
    measure: Annotated[bool, Parameter(negative=())] = False,
    make: Path | None = None,
    dims: str = "3:64:1",
    most_classes: Whole = MOST_POINTS,
    classes: str = "",
    effort: float = 1.0,
    seed: Seed = 0,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path("catalogue.npz"),
    json: Json = False,
) -> None:
    """What searches found and the package keeps, up to 300 classes in 64 dimensions: where `best` begins.

    Args:
        file: Another catalogue than the package's own.
        check: Make so many of its codes anew, drawn by the seed, and compare.
        measure: Instead make and measure all of its codes anew, for when descents changed, and write it to -o.
        make: Instead make one: the folder where finished dimensions are kept; run again, it goes on where it stopped,
            and with another seed it improves on what is there.
        dims: 3:64:1 for every dimension from 3 to 64, or a list such as 3,4,8.
        most_classes: Up to how many classes.
        classes: Search for these numbers of classes alone, with commas between, and look a little below each.
        effort: How long searches are, of what they usually are.
        output: The catalogue made or measured anew, .npz.
    """
    if make is not None:
        _make(make, dims, most_classes, classes, effort, seed, output, json)
        return
    held = shipped_catalogue() if file is None else read_catalogue(file)
    if measure:
        checked_output(output, (".npz",))
        with ps.progress_bar("catalogue") as progress:
            _write(remeasured(held, progress), output, json)
        return
    report: dict[str, object] = {
        "most_classes": held.most_points,
        "largest_dim": held.largest_dim,
        "codes": len(held.recipes),
        "kept": len(held.sources),
    }
    said = f"{len(held.recipes)} codes of up to {held.most_points} points in up to {held.largest_dim} dimensions"
    said += f", made from {len(held.sources)} that are kept"
    if check is not None:
        drawn = random.Random(seed).sample(held.recipes, min(as_integer("check", check, minimum=1), len(held.recipes)))
        with ps.progress_bar() as progress:
            worst = check_recipes(held, drawn, progress)
        report |= {"checked": len(drawn), "worst_difference": worst}
        said += f"; {len(drawn)} made anew, at most {max(worst, 0.0):.1g} above what it says"
    print_json(report) if json else screen().print(said, soft_wrap=True)


def _make(
    folder: Path, dims: str, most_classes: int, classes: str, effort: float, seed: int, output: Path, json: bool
) -> None:
    checked_output(output, (".npz",))
    most = as_integer("most_classes", most_classes, minimum=7)
    as_positive("effort", effort)
    with ps.progress_bar("catalogue") as progress:
        only = [whole(part, classes) for part in classes.split(",")] if classes else []
        made = make_catalogue(
            folder,
            parsed_dims(dims, most),
            most_points=most,
            classes=only,
            effort=effort,
            seed=seed,
            progress=progress,
        )
    _write(made, output, json)


def _write(made: Catalogue, output: Path, json: bool) -> None:
    write_catalogue(output, made)
    report = {"file": str(output), "codes": len(made.recipes), "kept": len(made.sources)}
    said = f"written: {output} ({len(made.recipes)} codes, made from {len(made.sources)} that are kept)"
    print_json(report) if json else screen().print(said)
