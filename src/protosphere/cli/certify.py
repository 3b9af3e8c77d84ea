"""`protosphere certify`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Json
from protosphere.cli.card import show_code
from protosphere.code.certificate import TOLERANCE
from protosphere.code.user_points import read_points
from protosphere.types import Progress


def certify(
    file: Path,
    /,
    *,
    normalize: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Json = False,
) -> None:
    """Measure the prototypes in a file and print their certificate.

    Args:
        file: A .npy, .csv or .txt matrix, or a .safetensors file that protosphere wrote.
        normalize: Divide each row by its length first; otherwise rows must be unit vectors.
    """
    with ps.progress_bar(file.name) as progress:
        if file.suffix == ".safetensors":
            code = measured_anew(file, progress)
        else:
            code = ps.from_points(read_points(file), normalize=normalize, progress=progress)
    show_code(str(file), code, file=file, json=json)


def measured_anew(file: Path, progress: Progress) -> ps.SphericalCode:
    """The code in `file` with a certificate of today; CertificateError where the file claimed another maximum."""
    code = ps.load(file)
    certificate = ps.certify(code, progress=progress)
    if abs(float(certificate.max_cosine - code.max_cosine)) > TOLERANCE:
        raise ps.CertificateError(
            f"'{file}' claims max cosine {code.max_cosine}, measured {certificate.max_cosine}; do not trust it"
        )
    return replace(code, certificate=certificate)
