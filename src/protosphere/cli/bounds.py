"""Command `protosphere bounds`, which prints bounds on the maximum cosine of K points in R^n.

The function of the command has these arguments, whose help texts are not in its docstring:

- `num_classes` is the number of points K.
- `dim` is the dimension n of the points.
- `json` is True to print JSON, and False to print text.
"""

from dataclasses import dataclass
from typing import Any

import protosphere as ps
from protosphere.bounds import BOUNDS
from protosphere.bounds.registry import Theorem
from protosphere.cli.arguments import Classes, Dim, Json
from protosphere.cli.screen import (
    cosine_fields,
    format_cosine,
    print_json,
    print_summary,
)
from protosphere.errors import brief


def bounds(*, num_classes: Classes, dim: Dim, json: Json = False) -> None:
    """Print proved bounds on the smallest maximum cosine that K points in R^n can have.

    A converse is a lower bound: no code has a lower maximum cosine. An achievable bound is an upper bound: some code
    has at most this maximum cosine.
    """
    rows = [bound_row(theorem, num_classes, dim) for theorem in shown_theorems()]
    distance = code_distance(num_classes, dim)
    if json:
        record = {
            "num_classes": num_classes,
            "dim": dim,
            "gilbert_varshamov_distance": distance and distance[1],
            "bounds": [row.fields for row in rows],
        }
        print_json(record)
        return
    lines = [(row.fields["name"], row.line) for row in rows]
    if distance is not None:
        k, d = distance
        text = f"{d}, of some binary [{dim}, {k}] code (Gilbert-Varshamov)"
        lines.append(("GV distance", text))
    print_summary(
        f"max cosine of {brief(num_classes)} points in {brief(dim)} dimensions", lines
    )


@dataclass(frozen=True)
class ShownTheorem:
    """A bound to print.

    Attributes:
        name: Name of the bound in the output.
        kind: "achievable" (an upper bound on the smallest maximum cosine of K points in R^n) or "converse" (a lower
            bound on it).
        meaning: Meaning of the bound in one line.
        function: Function from the number of points K and the dimension n to the bound.
        is_best: True if the function returns the tightest bound that any theorem of this `kind` gives. The printed text
            then names this theorem. False if the bound comes from a single theorem.
    """

    name: str
    kind: str
    meaning: str
    function: Theorem
    is_best: bool = False


def shown_theorems() -> list[ShownTheorem]:
    """Return the bounds to print.

    The first is the lowest achievable bound of all theorems, and the second is the highest converse. Then all
    registered bounds follow, except numerical bounds, which are not proved.
    """
    theorems = [
        ShownTheorem(
            "achievable",
            "achievable",
            "some code is at most this",
            ps.bounds.achievable,
            is_best=True,
        ),
        ShownTheorem(
            "converse",
            "converse",
            "no code is lower",
            ps.bounds.converse,
            is_best=True,
        ),
    ]
    for bound in BOUNDS.values():
        if not bound.numerical:
            theorems.append(
                ShownTheorem(bound.name, bound.kind, bound.summary, bound.function)
            )
    return theorems


@dataclass(frozen=True)
class BoundRow:
    """Output for one bound, as JSON and as text.

    Attributes:
        fields: Names and values of the JSON object.
        line: Text of one or two lines for the screen.
    """

    fields: dict[str, Any]
    line: str


def bound_row(theorem: ShownTheorem, num_classes: int, dim: int) -> BoundRow:
    """Return the output for a bound.

    If the theorem does not apply to K and n, the output has the reason in place of a value.

    Args:
        theorem: The bound to compute.
        num_classes: Number of points K.
        dim: Dimension n.
    """
    bound = None
    infeasible_reason = None
    try:
        bound = theorem.function(num_classes, dim)
    except ps.InfeasibleError as error:
        infeasible_reason = str(error)
        line = f"none: {infeasible_reason}"
    else:
        line = format_cosine(bound.value)
        if theorem.is_best:
            line += f", by {bound.theorem}\n{theorem.meaning}"
    fields = {
        "name": theorem.name,
        "kind": theorem.kind,
        **cosine_fields("value", bound and bound.value),
        "theorem": bound and bound.theorem,
        "meaning": theorem.meaning,
        "infeasible_reason": infeasible_reason,
    }
    return BoundRow(fields, line)


def code_distance(num_classes: int, dim: int) -> tuple[int, int] | None:
    """Return a dimension and a minimum distance that some binary linear code with at least K codewords has.

    The dimension is the smallest positive integer k with 2^k >= K. By the Gilbert-Varshamov bound, some binary linear
    code of length `dim` and dimension k has at least the returned minimum distance.

    Args:
        num_classes: Number K of codewords that the code must have at least.
        dim: Length of the code.

    Returns:
        The pair (k, distance). None if k is larger than `dim`.
    """
    k = max(1, (num_classes - 1).bit_length())
    if k > dim:
        return None
    return k, ps.bounds.gilbert_varshamov_distance(dim, k)
