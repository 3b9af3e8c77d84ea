"""Command `protosphere verify`."""

import math
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from protosphere import verify as verifier
from protosphere.cli.arguments import Flag, Json

Proof = Annotated[
    Path | None,
    Parameter(
        help="File that `protosphere certify --proof` wrote. "
        "It proves a lower bound on the maximum cosine of any K points."
    ),
]
NoLimit = Annotated[
    Flag, Parameter(help="Compare all pairs, without a limit on time and memory.")
]


def verify(
    file: Path,
    /,
    *,
    proof: Proof = None,
    no_limit: NoLimit = False,
    json: Json = False,
) -> None:
    """Check in exact arithmetic what a code file states about its points; the exit code is 1 if the file is rejected.

    Args:
        file: A .safetensors file that protosphere wrote.
    """
    limit = math.inf if no_limit else verifier.MOST_PRODUCTS
    verdict = verifier.verify(file, proof, limit)
    verifier.show(verdict, json_output=json)
    if not verdict.accepted:
        raise SystemExit(1)
