"""`protosphere bounds`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import protosphere as ps
from protosphere.bounds import BOUNDS
from protosphere.cli.arguments import Classes, Dim, Json
from protosphere.cli.screen import cosine_fields, print_card, print_json, spoken
from protosphere.errors import brief


@dataclass(frozen=True)
class Row:
    """One bound, or why there is none."""

    name: str
    kind: str
    meaning: str
    bound: ps.Bound | None
    obstacle: str | None

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        value, theorem = (self.bound.value, self.bound.theorem) if self.bound else (None, None)
        fields = {"name": self.name, "kind": self.kind} | cosine_fields("value", value)
        return fields | {"theorem": theorem, "meaning": self.meaning, "obstacle": self.obstacle}

    def line(self) -> tuple[str, str]:
        """For people: the value of a theorem; of the best one with its name, and below it what that means."""
        if self.bound is None:
            return self.name, f"none: {self.obstacle}"
        said = spoken(self.bound.value)
        return self.name, said if self.name in BOUNDS else f"{said}, by {self.bound.theorem}\n{self.meaning}"


def bounds(*, num_classes: Classes, dim: Dim, json: Json = False) -> None:
    """How large the max cosine of K points in R^n must be, and how small it certainly can be, theorem by theorem."""
    rows = bound_rows(num_classes, dim)
    k = max(1, (num_classes - 1).bit_length())
    distance = ps.bounds.gilbert_varshamov_distance(dim, k) if k <= dim else None
    if json:
        fields = {"num_classes": num_classes, "dim": dim, "gilbert_varshamov_distance": distance}
        print_json(fields | {"bounds": [row.fields() for row in rows]})
        return
    lines = [row.line() for row in rows]
    if distance is not None:
        lines.append(("GV distance", f"{distance}, of some binary [{dim}, {k}] code (Gilbert-Varshamov)"))
    print_card(f"max cosine of {brief(num_classes)} points in {brief(dim)} dimensions", lines)


def bound_rows(num_classes: int, dim: int) -> list[Row]:
    """The best of either kind, then every theorem but the numerical ones."""

    def row(name: str, kind: str, meaning: str, function: Callable[[int, int], ps.Bound]) -> Row:
        try:
            return Row(name, kind, meaning, function(num_classes, dim), None)
        except ps.InfeasibleError as error:
            return Row(name, kind, meaning, None, str(error))

    return [
        row("achievable", "achievable", "some arrangement certainly does as well", ps.bounds.achievable),
        row("converse", "converse", "no arrangement does better", ps.bounds.converse),
        *(row(one.name, one.kind, one.summary, one.function) for one in BOUNDS.values() if not one.numerical),
    ]
