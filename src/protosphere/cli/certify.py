"""`protosphere certify`."""

from dataclasses import replace
from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Flag, Json
from protosphere.cli.summary import show_code

SAID = ["scheme", "recipe", "seed", "mapping", "options", "guarantee"]
"""Fields that a file of ours is believed in, and that nobody has looked at."""


def certify(file: Path, /, *, normalize: Flag = False, json: Json = False) -> None:
    """Measure the prototypes in a file and print their certificate.

    Args:
        file: A .npy, .csv, .txt or .pt matrix, or a .safetensors file that protosphere wrote.
        normalize: Divide each row by its length first; otherwise rows must be unit vectors.
    """
    with ps.progress_bar(file.name) as progress:
        code = ps.from_points(file, normalize=normalize, progress=progress)
        if code.provenance or code.certificate.claimed:
            code = replace(code, certificate=ps.certify(code, progress=progress))
    said = {"said_by_file": SAID} if code.provenance else {}
    show_code(str(file), code, file=file, json=json, **said)
