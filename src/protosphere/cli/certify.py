"""`protosphere certify`."""

from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Flag, Json
from protosphere.cli.summary import show_code
from protosphere.constructions.codes_from_files import certified_code

UNVERIFIED_FIELDS = ["scheme", "description", "seed", "mapping", "options", "guarantee"]
"""Fields of the answer that are copied from a file and not measured."""


def certify(file: Path, /, *, normalize: Flag = False, json: Json = False) -> None:
    """Measure the prototypes in a file and print their certificate.

    Args:
        file: A .npy, .csv, .txt or .pt matrix, or a .safetensors file that protosphere wrote.
        normalize: Divide each row by its norm first; otherwise rows must be unit vectors.
    """
    with ps.progress_bar(file.name) as progress:
        code = certified_code(file, normalize=normalize, progress=progress)
    unverified = {"said_by_file": UNVERIFIED_FIELDS} if code.provenance else {}
    show_code(str(file), code, file=file, json=json, **unverified)
