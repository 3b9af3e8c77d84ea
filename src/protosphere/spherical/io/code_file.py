"""Write and read the content of a code file: a header, and the arrays that store the points.

A code file stores a code: points with a certificate. The header is a JSON object. The structure of the points is the
form in which they are stored, such as a matrix or packed codewords. The provenance is the record from which the code
can be built again. The placement consists of the points and their description.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from protosphere.bounds import Bound
from protosphere.errors import (
    InvalidArgumentError,
    as_integer,
    brief,
)
from protosphere.spherical.certificate import Certificate
from protosphere.spherical.io import container as storage
from protosphere.spherical.placement import Placement
from protosphere.spherical.provenance import Choice, Considered, Provenance
from protosphere.spherical.structures.structure import (
    Content,
    fraction_to_json,
    read_fraction,
    read_line,
    read_structure,
)
from protosphere.types import Cosine

if TYPE_CHECKING:
    from protosphere.spherical.spherical_code import SphericalCode

DEEPEST_NESTING = 16
LARGEST_SIZE = 1 << 40
"""Largest K and largest n that a file may state: too large for any memory, but too small for integer overflow."""

Parts = tuple[Placement, Certificate, Provenance | None, Choice | None]


def described(code: SphericalCode) -> dict[str, Any]:
    """Return the header of the code file of a code, as a dictionary that can be written as JSON.

    The header has everything but the arrays of the points: the structure in which the points are stored, the
    description, the provenance, the certificate, and the record of how `ps.best` or `ps.assign` chose the code.
    """
    structure = code.placement.structure
    certificate = code.certificate
    return structure.header() | {
        "structure": structure.name,
        "description": code.placement.description,
        "provenance": None if code.provenance is None else code.provenance.to_json(),
        "certificate": {
            "num_classes": certificate.num_classes,
            "dim": certificate.dim,
            "max_cosine": fraction_to_json(certificate.max_cosine),
            "guarantee": fraction_to_json(certificate.guarantee),
            "converse": fraction_to_json(certificate.converse.value),
            "theorem": certificate.converse.theorem,
            "method": certificate.method,
        },
        "choice": None if code.choice is None else _choice_to_json(code.choice),
    }


def require_harmless(value: Any, depth: int = 0) -> None:
    """Raise InvalidArgumentError if a header could harm a terminal or exhaust the call stack.

    Texts must have no control characters except newlines and tabs, and lists and objects must not be nested more than
    16 levels deep.

    Args:
        value: The header, or a value in it. If it is a list or an object, its items are checked, too.
        depth: Number of lists and objects of the header that contain `value`.
    """
    if isinstance(value, str):
        if not value.replace("\n", "").replace("\t", "").isprintable():
            raise InvalidArgumentError(
                f"its texts should be printable, got {brief(value)}"
            )
    elif isinstance(value, dict | list):
        if depth > DEEPEST_NESTING:
            raise InvalidArgumentError(
                f"its description is nested more than {DEEPEST_NESTING} deep"
            )
        for item in cast(
            "list[Any]", [*value, *value.values()] if isinstance(value, dict) else value
        ):
            require_harmless(item, depth + 1)


def parts(
    arrays: storage.Arrays, description: dict[str, Any], complete: bool = False
) -> Parts:
    """Return the placement, the certificate, the provenance and the choice of a code from the content of its file.

    Args:
        arrays: Arrays of the file by name.
        description: Header of the file.
        complete: If True, an error is raised if the file lacks arrays that can be computed from other arrays. If False,
            the file may omit them.

    Returns:
        A tuple of four objects. The first is the placement, which has the points. The second is the certificate. The
        third is the provenance, or None if the file has none. The fourth is the record of how `ps.best` or `ps.assign`
        chose the code, or None if they did not choose it.

    Raises:
        InvalidArgumentError: If the content does not describe a code. A malformed header may also raise a built-in
            exception such as KeyError.
    """
    claim = _certificate(description["certificate"])
    content = Content(arrays, description, claim.num_classes, claim.dim, complete)
    structure = read_structure(description["structure"], content)
    placement = Placement(
        read_line("description", description["description"]), structure
    )
    made = description["provenance"]
    choice = description.get("choice")
    provenance = None if made is None else _provenance(made)
    return placement, claim, provenance, None if choice is None else _choice(choice)


def _certificate(header: dict[str, Any]) -> Certificate:
    bound = Bound(_cosine(header["converse"]), read_line("theorem", header["theorem"]))
    count = as_integer("num_classes", header["num_classes"], minimum=2)
    dim = as_integer("dim", header["dim"], minimum=1)
    if max(count, dim) > LARGEST_SIZE:
        sizes = f"{brief(count)}, {brief(dim)}"
        raise InvalidArgumentError(
            f"'num_classes' and 'dim' should be sizes of a code, are {sizes}"
        )
    method = read_line("method", header["method"])
    return Certificate(
        count,
        dim,
        _cosine(header["max_cosine"]),
        _maybe(header["guarantee"]),
        bound,
        method,
    )


def _provenance(header: dict[str, Any]) -> Provenance:
    for name in ("construction", "mapping", "version"):
        read_line(name, header[name])
    for name, minimum in (("num_classes", 2), ("dim", 1), ("seed", 0)):
        as_integer(name, header[name], minimum=minimum)
    if not isinstance(header["options"], dict):
        raise InvalidArgumentError(
            f"'options' should be an object of the description, is {brief(header['options'])}"
        )
    return Provenance.from_json(header)


def _choice_to_json(choice: Choice) -> dict[str, Any]:
    rows = [
        [
            c.scheme,
            c.description,
            fraction_to_json(c.promise),
            fraction_to_json(c.measured),
        ]
        for c in choice.considered
    ]
    return {"reason": choice.reason, "considered": rows}


def _choice(header: dict[str, Any]) -> Choice:
    rows = [
        Considered(
            read_line("scheme", scheme),
            read_line("description", text),
            _maybe(promise),
            _maybe(measured),
        )
        for scheme, text, promise, measured in header["considered"]
    ]
    return Choice(read_line("reason", header["reason"]), tuple(rows))


def _cosine(text: object) -> Cosine:
    value = read_fraction("a cosine", text) if isinstance(text, str) else text
    if (
        isinstance(value, Fraction | int | float)
        and not isinstance(value, bool)
        and -1 <= value <= 2
    ):
        return value if isinstance(value, Fraction) else float(value)
    raise InvalidArgumentError(
        f"a cosine should be a number from -1 on, is {brief(text)}"
    )


def _maybe(text: object) -> Cosine | None:
    return None if text is None else _cosine(text)
