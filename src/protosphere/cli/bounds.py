"""`protosphere bounds`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import protosphere as ps
from protosphere.cli.arguments import Classes, Dim, Json
from protosphere.cli.numbers import cosine_fields, spoken
from protosphere.cli.screen import print_card, print_json
from protosphere.errors import brief


@dataclass(frozen=True)
class Row:
    """One bound, or why there is none."""

    name: str
    meaning: str
    bound: ps.Bound | None
    obstacle: str | None


def bounds(*, num_classes: Classes, dim: Dim, json: Json = False) -> None:
    """How large the max cosine of K points in R^n must be, and how small it certainly can be."""
    rows = bound_rows(num_classes, dim)
    distance = varshamov_distance(num_classes, dim)
    if json:
        fields = {"num_classes": num_classes, "dim": dim, "gilbert_varshamov_distance": distance}
        print_json(fields | {"bounds": [row_record(row) for row in rows]})
        return
    lines = [line for row in rows for line in row_lines(row)]
    if distance is not None:
        code = f"[{dim}, {message_bits(num_classes)}]"
        lines.append(("GV distance", f"{distance}: some binary {code} code has this distance (Gilbert-Varshamov)"))
    print_card(f"max cosine of {brief(num_classes)} points in {brief(dim)} dimensions", lines)


def bound_rows(num_classes: int, dim: int) -> list[Row]:
    """Achievable, converse, and the converse as the paper draws it."""

    def row(name: str, meaning: str, theorem: Callable[[int, int], ps.Bound]) -> Row:
        try:
            return Row(name, meaning, theorem(num_classes, dim), None)
        except ps.InfeasibleError as error:
            return Row(name, meaning, None, str(error))

    return [
        row("achievable", "some arrangement certainly does as well", ps.bounds.achievable),
        row("converse", "no arrangement does better", ps.bounds.converse),
        row("paper converse", "the converse drawn in the paper; tight only for K <= n + 1", ps.bounds.paper_converse),
    ]


def varshamov_distance(num_classes: int, dim: int) -> int | None:
    """The Gilbert-Varshamov distance of a binary code with a word a class; None where no code has so many."""
    k = message_bits(num_classes)
    return ps.bounds.gilbert_varshamov_distance(dim, k) if k <= dim else None


def message_bits(num_classes: int) -> int:
    """The dimension of a binary code with a word a class."""
    return max(1, (num_classes - 1).bit_length())


def row_lines(row: Row) -> list[tuple[str, str]]:
    """The value with its theorem, and below what it means."""
    if row.bound is None:
        return [(row.name, f"none: {row.obstacle}")]
    return [(row.name, f"{spoken(row.bound.value)}, by {row.bound.theorem}"), ("", row.meaning)]


def row_record(row: Row) -> dict[str, Any]:
    """One bound as JSON fields."""
    value = row.bound and row.bound.value
    theorem = row.bound and row.bound.theorem
    fields = {"name": row.name.replace(" ", "_"), **cosine_fields("value", value), "theorem": theorem}
    return fields | {"meaning": row.meaning, "obstacle": row.obstacle}
