"""Commands `python -m tools catalogue`, `python -m tools extend` and `python -m tools measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Json, Seed, Whole
from protosphere.cli.dims import parsed_dims, whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.errors import as_integer, as_positive
from protosphere.tables.catalogue import Catalogue, read_catalogue, shipped_catalogue
from tools.catalogue_extension import extended
from tools.catalogue_file import write_catalogue
from tools.cataloguing import MOST_POINTS, finished_parts, make_catalogue, remeasured

Output = Annotated[Path, Parameter(name=("--output", "-o"))]


def catalogue(
    folder: Path,
    /,
    *,
    dims: str = "3:64:1",
    most_classes: Whole = MOST_POINTS,
    classes: str = "",
    effort: float = 1.0,
    seed: Seed = 0,
    output: Output = Path("catalogue.npz"),
    json: Json = False,
) -> None:
    """Make a catalogue by long searches, and store the result of each dimension in a folder.

    An interrupted run continues. A run with another seed improves the results in the folder.

    Args:
        folder: Folder for the results of finished dimensions.
        dims: Dimensions n: 3:64:1 for every dimension from 3 to 64, or a list such as 3,4,8.
        most_classes: Largest number of classes K.
        classes: Numbers of classes, separated by commas. Only these numbers are searched. The catalogue then also gets
            codes for the numbers up to 10% below each of them.
        effort: Length of the searches, relative to the usual length.
        output: Path of the catalogue, .npz.
    """
    checked_output(output, (".npz",))
    most = as_integer("most_classes", most_classes, minimum=7)
    as_positive("effort", effort)
    only = [whole(part, classes) for part in classes.split(",")] if classes else []
    chosen = parsed_dims(dims, most)
    with ps.progress_bar("catalogue") as progress:
        made = make_catalogue(
            folder,
            chosen,
            most_points=most,
            classes=only,
            effort=effort,
            seed=seed,
            progress=progress,
        )
    _write(made, output, json)


def measure(
    *,
    file: Path | None = None,
    output: Output = Path("catalogue.npz"),
    json: Json = False,
) -> None:
    """Build all codes of a catalogue again and measure their maximum cosines.

    This is necessary if a change of the descent has changed its results.

    Args:
        file: Path of the catalogue. The default is the catalogue of the package.
        output: Path of the measured catalogue, .npz.
    """
    checked_output(output, (".npz",))
    with ps.progress_bar("catalogue") as progress:
        _write(
            remeasured(
                shipped_catalogue() if file is None else read_catalogue(file), progress
            ),
            output,
            json,
        )


def extend(
    folder: Path, /, *, output: Output = Path("catalogue.npz"), json: Json = False
) -> None:
    """Add codes for larger numbers of classes to the catalogue of the package.

    Args:
        folder: Folder with the results of finished dimensions, made by `python -m tools catalogue`.
        output: Path of the extended catalogue, .npz.
    """
    checked_output(output, (".npz",))
    _write(extended(shipped_catalogue(), finished_parts(folder)), output, json)


def _write(made: Catalogue, output: Path, json: bool) -> None:
    write_catalogue(output, made)
    report = {
        "file": str(output),
        "codes": len(made.entries),
        "kept": len(made.sources),
    }
    said = f"written: {output} ({len(made.entries)} codes, made from {len(made.sources)} that are kept)"
    print_json(report) if json else screen().print(said)
