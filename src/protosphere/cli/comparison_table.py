"""A comparison as tables that fit the terminal: a row per dimension, a column per scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from protosphere.cli.numbers import decimal
from protosphere.constructions.comparison import Comparison
from protosphere.types import Cosine

PLACES = 4
GAP = 2
"""Blanks between columns."""

INFEASIBLE = "\N{MIDDLE DOT}"


@dataclass(frozen=True)
class Column:
    """A heading of short lines, and the cosine at each dimension."""

    heading: str
    values: dict[int, Cosine | None]
    competes: bool

    @property
    def width(self) -> int:
        """Of the longest line, a negative cosine included."""
        return max(len("-0.") + PLACES, *map(len, self.heading.splitlines()))


def columns(comparison: Comparison) -> list[Column]:
    """The two bounds, then the schemes; words of a name one below the other."""
    limits = comparison.limits
    found = {(cell.scheme, cell.dim): cell.max_cosine for cell in comparison.cells}
    converse = Column("converse", {row.dim: row.converse.value for row in limits}, False)
    achievable = Column("achiev-\nable", {row.dim: row.achievable and row.achievable.value for row in limits}, False)
    schemes = [
        Column(scheme.replace("_", "\n"), {dim: found.get((scheme, dim)) for dim in comparison.dims}, True)
        for scheme in comparison.schemes
    ]
    return [converse, achievable, *schemes]


def print_comparison(comparison: Comparison, console: Console) -> None:
    """As few tables as the width allows, evenly filled, and what their signs mean."""
    first = max(len("n"), *(len(str(dim)) for dim in comparison.dims))
    best = best_values(comparison)
    console.print(f"max cosine of {comparison.num_classes} points, by dimension n (lower is better)", style="bold")
    for part in fitted(columns(comparison), console.width - first):
        console.print()
        console.print(table_of(part, comparison.dims, best))
    console.print()
    console.print(f"bold: the best of the row    {INFEASIBLE} not to be had at this n", style="dim")
    console.print("converse: nothing is lower    achievable: something certainly is as low", style="dim")


def fitted(every: Sequence[Column], room: int) -> Iterator[Sequence[Column]]:
    """`every` in the fewest equal parts that are no wider than `room`."""
    for parts in range(1, len(every) + 1):
        size = -(-len(every) // parts)
        chunks = [every[start : start + size] for start in range(0, len(every), size)]
        if size == 1 or all(sum(column.width + GAP for column in chunk) <= room for chunk in chunks):
            yield from chunks
            return


def best_values(comparison: Comparison) -> dict[int, float]:
    """The lowest cosine at each dimension, among the schemes."""
    best: dict[int, float] = {}
    for cell in comparison.cells:
        if cell.max_cosine is not None:
            best[cell.dim] = min(best.get(cell.dim, 1.0), float(cell.max_cosine))
    return best


def table_of(part: Sequence[Column], dims: Sequence[int], best: dict[int, float]) -> Table:
    """One table, the dimension first."""
    table = Table(box=None, pad_edge=False, padding=(0, 0, 0, GAP), collapse_padding=True)
    table.add_column("n", justify="right", no_wrap=True, vertical="bottom")
    for column in part:
        table.add_column(column.heading, justify="right", no_wrap=True, min_width=column.width)
    draw = drawer(best)
    for dim in dims:
        table.add_row(str(dim), *(draw(column, dim) for column in part))
    return table


def drawer(best: dict[int, float]) -> Callable[[Column, int], Text]:
    """How a cell looks: bounds faint, the best bold, nothing a dot."""

    def draw(column: Column, dim: int) -> Text:
        value = column.values[dim]
        if value is None:
            return Text(INFEASIBLE, style="dim")
        digits = decimal(value, PLACES)
        if not column.competes:
            return Text(digits, style="cyan")
        wins = digits == decimal(best[dim], PLACES)  # what looks the same is marked the same
        return Text(digits, style="bold green" if wins else "")

    return draw
