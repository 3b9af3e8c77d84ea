"""A comparison as tables that fit the terminal: a row per dimension, a column per scheme."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from protosphere.bounds import welch_mean_square
from protosphere.cli.screen import decimal
from protosphere.constructions.comparison import Cell, Comparison
from protosphere.types import Cosine

COSINE_PLACES = 4
PERCENT_PLACES = 3
GAP = 2
"""Blanks between columns."""

INFEASIBLE = "\N{MIDDLE DOT}"
Number = Callable[[Cell], Cosine | None]


@dataclass(frozen=True)
class Column:
    """A heading of short lines, and the number at each dimension with so many places."""

    heading: str
    values: Mapping[int, Cosine | None]
    competes: bool
    places: int = COSINE_PLACES

    @property
    def width(self) -> int:
        """Of the longest line, a negative cosine included."""
        return max(len("-0.") + COSINE_PLACES, *map(len, self.heading.splitlines()))

    def digits(self, dim: int) -> str | None:
        """The number at a dimension as it is shown; None where there is none."""
        value = self.values.get(dim)
        return None if value is None else decimal(value, self.places)


def columns(comparison: Comparison) -> list[Column]:
    """The two bounds, then the schemes; words of a name one below the other."""
    limits = comparison.limits
    converse = Column(
        "converse", {row.dim: row.converse.value for row in limits}, False
    )
    achievable = Column(
        "achiev-\nable",
        {row.dim: row.achievable and row.achievable.value for row in limits},
        False,
    )
    return [
        converse,
        achievable,
        *scheme_columns(comparison, lambda cell: cell.max_cosine),
    ]


def scheme_columns(
    comparison: Comparison, number: Number, places: int = COSINE_PLACES
) -> list[Column]:
    """A column per scheme, of one number of its cells."""
    rows = {
        scheme: {cell.dim: number(cell) for cell in comparison.of(scheme)}
        for scheme in comparison.schemes
    }
    return [
        Column(scheme.replace("_", "\n"), row, True, places)
        for scheme, row in rows.items()
    ]


def print_comparison(
    comparison: Comparison, console: Console, *, energy: bool, mean_square: bool
) -> None:
    """The max cosines beside the bounds, or the energies or mean squares, and what their signs mean."""
    K = comparison.num_classes
    if mean_square:
        title = (
            f"mean squared cosine of {K} points, by dimension n (lower trains better)"
        )
        least = Column(
            "tight\nframe",
            {dim: welch_mean_square(K, dim).value for dim in comparison.dims},
            False,
        )
        shown = [least, *scheme_columns(comparison, lambda cell: cell.mean_square)]
        meaning = "tight frame: nothing is lower"
    elif energy:
        title = f"energy of {K} points in %, by dimension n (lower is more even)"
        shown = scheme_columns(
            comparison, lambda cell: cell.energy and 100 * cell.energy, PERCENT_PLACES
        )
        meaning = (
            "what the other classes add to the 1 of the right one at its prototype"
        )
    else:
        title = f"max cosine of {K} points, by dimension n (lower is better)"
        shown = columns(comparison)
        meaning = (
            "converse: nothing is lower    achievable: something certainly is as low"
        )
    console.print(title, style="bold")
    print_columns(shown, comparison.dims, console)
    console.print(meaning, style="dim")


def print_columns(
    every: Sequence[Column], dims: Sequence[int], console: Console
) -> None:
    """As few tables as the width allows, evenly filled."""
    first = max(len("n"), *(len(str(dim)) for dim in dims))
    best = best_digits(every, dims)
    for part in fitted(every, console.width - first):
        console.print()
        console.print(table_of(part, dims, best))
    console.print()
    marked = "bold: the best of the row    " if console.color_system is not None else ""
    console.print(f"{marked}{INFEASIBLE} not to be had at this n", style="dim")


def fitted(every: Sequence[Column], room: int) -> Iterator[Sequence[Column]]:
    """`every` in the fewest equal parts that are no wider than `room`."""
    for parts in range(1, len(every) + 1):
        size = -(-len(every) // parts)
        chunks = [every[start : start + size] for start in range(0, len(every), size)]
        if size == 1 or all(
            sum(column.width + GAP for column in chunk) <= room for chunk in chunks
        ):
            yield from chunks
            return


def best_digits(every: Sequence[Column], dims: Sequence[int]) -> dict[int, str | None]:
    """The lowest number at each dimension among the schemes, as it is shown: what looks the same is marked the same."""
    shown = {
        dim: [column.digits(dim) for column in every if column.competes] for dim in dims
    }
    return {
        dim: min(filter(None, row), key=float, default=None)
        for dim, row in shown.items()
    }


def table_of(
    part: Sequence[Column], dims: Sequence[int], best: dict[int, str | None]
) -> Table:
    """One table, the dimension first."""
    table = Table(
        box=None, pad_edge=False, padding=(0, 0, 0, GAP), collapse_padding=True
    )
    table.add_column("n", justify="right", no_wrap=True, vertical="bottom")
    for column in part:
        table.add_column(
            column.heading, justify="right", no_wrap=True, min_width=column.width
        )
    for dim in dims:
        table.add_row(str(dim), *(drawn(column, dim, best[dim]) for column in part))
    return table


def drawn(column: Column, dim: int, best: str | None) -> Text:
    """How a cell looks: bounds faint, the best bold, nothing a dot."""
    digits = column.digits(dim)
    if digits is None:
        return Text(INFEASIBLE, style="dim")
    if not column.competes:
        return Text(digits, style="cyan")
    return Text(digits, style="bold green" if digits == best else "")
