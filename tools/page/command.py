"""Command `python -m tools page`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import protosphere as ps
from protosphere.atlas_page.measurements import FILE, shipped_measurements, spectra_key
from protosphere.cli.arguments import Flag
from protosphere.cli.screen import screen
from protosphere.storage.files import replace_bytes
from protosphere.types import Progress
from tools.page.cells import (
    descents,
    linear_cells,
    modified_cells,
    plain_spectra,
    searched_spectra,
    spherical_points,
)
from tools.page.members import measured_families

Output = Annotated[Path, Parameter(name=("--output", "-o"))]


def page(
    *,
    output: Output = Path("src/protosphere/atlas_page") / FILE,
    families: Flag = False,
) -> None:
    """Measure the codes that the atlas page shows, and write the measurements to a file.

    Codes of families that are in the file of the package are not measured again.

    Args:
        output: Path of the file, .json.gz.
        families: Measure only new codes of families, and copy all other measurements from the file of the package.
    """
    known = shipped_measurements()
    with ps.progress_bar("page") as progress:
        members = measured_families(progress, known)
        written(output, members, known)
        if not families:
            written(output, members, measured_others(progress))
    screen().print(
        f"written: {output} ({len(members)} members of families, {output.stat().st_size >> 10} kB)"
    )


def written(output: Path, members: dict[str, Any], others: dict[str, Any]) -> None:
    """Write the file of measurements. `members` belongs to codes of families, and `others` to all other codes."""
    plain = {
        key: found for key, found in others["spectra"].items() if key.endswith("|")
    }
    content = {
        "steps": {key: found["steps"] for key, found in members.items()},
        "spectra": plain | {key: found["spectra"] for key, found in members.items()},
        "cells": others["cells"],
        "space": others["space"],
    }
    replace_bytes(
        output,
        gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0),
    )


def measured_others(progress: Progress) -> dict[str, Any]:
    """Return the measurements of all codes that do not belong to families."""
    spectra: dict[str, dict[str, Any]] = {}
    cells: dict[str, list[Any]] = {}
    for scheme, K, dim, value in (*linear_cells(), *modified_cells(progress)):
        cells.setdefault(scheme, []).append([K, dim, value])
    for scheme, K, dim, value, spectrum in descents(progress):
        cells.setdefault(scheme, []).append([K, dim, value])
        spectra.setdefault(spectra_key(scheme, dim), {})[str(K)] = spectrum
    for key, K, spectrum in (*plain_spectra(progress), *searched_spectra(progress)):
        spectra.setdefault(key, {})[str(K)] = spectrum
    return {"spectra": spectra, "cells": cells, "space": spherical_points(progress)}
