"""The command `protosphere verify`, which checks in exact arithmetic what a code file states about its points.

The function of the command has these arguments, whose help texts are not in its docstring:

- `proof` is a file with a proof of a lower bound on the maximum cosine of any K points, which is checked too. If it is
  None, no proof is checked.
- `no_limit` is True to check the file even if this needs much time or memory.
- `json` is True to print JSON, and False to print text.
"""

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
    """Check in exact arithmetic what a code file states about its points.

    The exit code is 0 if the file is accepted, 1 if it is rejected, and 2 if it was not checked. A file is not checked
    if the check would need too much time or memory and --no-limit is not given. A file is not checked either if the
    file or the proof cannot be read or used.

    Args:
        file: A .safetensors file that protosphere wrote.
    """
    limit = math.inf if no_limit else verifier.MOST_PRODUCTS
    verdict = verifier.verify(file, proof, limit)
    verifier.show(verdict, json_output=json)
    if verdict.exit_code:
        raise SystemExit(verdict.exit_code)
