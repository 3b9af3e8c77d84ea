"""`protosphere bounds`."""

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
    """How large the max cosine of K points in R^n must be, and how small it certainly can be, theorem by theorem."""
    theorems = [  # the best of either kind, then every one but the numerical ones
        (
            "achievable",
            "achievable",
            "some arrangement certainly does as well",
            ps.bounds.achievable,
        ),
        ("converse", "converse", "no arrangement does better", ps.bounds.converse),
        *(
            (one.name, one.kind, one.summary, one.function)
            for one in BOUNDS.values()
            if not one.numerical
        ),
    ]
    rows = [fields_and_line(*theorem, num_classes, dim) for theorem in theorems]
    k = max(1, (num_classes - 1).bit_length())
    distance = ps.bounds.gilbert_varshamov_distance(dim, k) if k <= dim else None
    if json:
        record = {
            "num_classes": num_classes,
            "dim": dim,
            "gilbert_varshamov_distance": distance,
        }
        print_json(record | {"bounds": [fields for fields, _ in rows]})
        return
    lines = [(fields["name"], line) for fields, line in rows]
    if distance is not None:
        lines.append(
            (
                "GV distance",
                f"{distance}, of some binary [{dim}, {k}] code (Gilbert-Varshamov)",
            )
        )
    print_summary(
        f"max cosine of {brief(num_classes)} points in {brief(dim)} dimensions", lines
    )


def fields_and_line(
    name: str, kind: str, meaning: str, theorem: Theorem, num_classes: int, dim: int
) -> tuple[dict[str, Any], str]:
    """One bound for JSON and for people, or why there is none; only the best of a kind say theorem and meaning."""
    bound = None
    infeasible_reason = None
    try:
        bound = theorem(num_classes, dim)
        line = format_cosine(bound.value) + (
            "" if name in BOUNDS else f", by {bound.theorem}\n{meaning}"
        )
    except ps.InfeasibleError as error:
        infeasible_reason = str(error)
        line = f"none: {infeasible_reason}"
    fields = {"name": name, "kind": kind} | cosine_fields(
        "value", bound and bound.value
    )
    return fields | {
        "theorem": bound and bound.theorem,
        "meaning": meaning,
        "infeasible_reason": infeasible_reason,
    }, line
