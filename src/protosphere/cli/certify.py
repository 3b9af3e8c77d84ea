"""The command `protosphere certify`, which measures the maximum cosine of the prototypes in a file.

In the function of the command, `json` is True to print JSON, and False to print text.
"""

import json as json_text
from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Flag, Json
from protosphere.cli.output import checked_output
from protosphere.cli.summary import show_code
from protosphere.constructions.codes_from_files import certified_code
from protosphere.storage.files import replace_file

UNVERIFIED_FIELDS = ["scheme", "description", "seed", "mapping", "options", "guarantee"]
"""JSON fields of the answer whose values are copied from the file, not measured."""


def certify(
    file: Path,
    /,
    *,
    normalize: Flag = False,
    proof: Path | None = None,
    json: Json = False,
) -> None:
    """Measure the maximum cosine of the prototypes in a file and print their certificate.

    The certificate compares the maximum cosine with the converse, a proved lower bound for any K points in R^n.

    Args:
        file: A .npy, .csv, .txt or .pt file with a matrix, or a .safetensors file that protosphere wrote.
        normalize: Divide each row by its norm first. Without this flag, rows must be unit vectors.
        proof: Path of a .json file to write.
            It gets a polynomial that proves a converse (a lower bound on the maximum cosine of any K points in R^n).
            The command `protosphere verify --proof` checks this proof.
    """
    proof_file = checked_output(proof, (".json",))
    with ps.progress_bar(file.name) as progress:
        code = certified_code(file, normalize=normalize, progress=progress)
    more: dict[str, object] = {}
    if code.provenance:
        more["said_by_file"] = UNVERIFIED_FIELDS
    if proof_file is not None:
        more["proof"] = str(proof_file)
        more["proof_converse"] = write_proof(proof_file, code)
    show_code(str(file), code, file=file, json=json, **more)


def write_proof(path: Path, code: ps.SphericalCode) -> float:
    """Write a file that proves a lower bound on the maximum cosine of any K points in R^n.

    The file contains a polynomial from which the bound follows (`ps.bounds.dual_polynomial`).

    Args:
        path: JSON file to write.
        code: Code that determines K and n.

    Returns:
        The lower bound.
    """
    dual = ps.bounds.dual_polynomial(code.num_classes, code.dim)
    text = json_text.dumps(dual.to_json(), indent=1) + "\n"
    replace_file(path, lambda beside: beside.write_text(text, encoding="utf-8"))
    return float(dual.cosine)
