"""Command `protosphere construct`, which builds prototypes by a scheme and prints their certificate.

Options that several commands share, such as --json, have their help text in the module `cli.arguments`.
"""

import protosphere as ps
from protosphere.cli.arguments import (
    UNSET,
    Classes,
    Dim,
    Json,
    Mapping,
    Options,
    OutputCode,
    Seed,
)
from protosphere.cli.output import checked_output
from protosphere.cli.summary import show_code
from protosphere.spherical.io.formats import WRITABLE


def construct(
    scheme: str,
    /,
    *,
    num_classes: Classes,
    dim: Dim,
    seed: Seed = 0,
    mapping: Mapping = "fixed",
    options: Options = UNSET,
    output: OutputCode = None,
    json: Json = False,
) -> None:
    """Build K prototypes in R^n by a scheme and print their certificate.

    Args:
        scheme: Name of a scheme that `protosphere list` shows.
        mapping: Order of the points. With fixed, class i gets point i. With random, --seed permutes the points.
    """
    file = checked_output(output, WRITABLE)
    with ps.progress_bar(scheme) as progress:
        code = ps.construct(
            scheme,
            num_classes=num_classes,
            dim=dim,
            seed=seed,
            mapping=mapping,
            progress=progress,
            **options.given(),
        )
        if file is not None:
            code.save(file, progress)
    show_code(scheme, code, file=file, json=json)
