"""Command `protosphere construct`, which builds prototypes by a scheme and prints their certificate.

The function of the command has these arguments, whose help texts are not in its docstring:

- `num_classes` is the number of points K.
- `dim` is the dimension n of the points.
- `seed` is the seed of all random choices.
- `options` has the options of the scheme. An option that the user did not give is None.
- `output` is the file to which the points are written. If it is None, no file is written.
- `json` is True to print JSON, and False to print text.
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
