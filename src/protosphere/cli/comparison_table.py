"""Tables of a comparison that fit the terminal: one row per dimension, one column per scheme."""

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
COLUMN_GAP = 2
"""Number of blanks between columns."""

INFEASIBLE = "\N{MIDDLE DOT}"
Number = Callable[[Cell], Cosine | None]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Heading, of several short lines.
        values: Value at each dimension; None if there is none.
        competes: Whether the column shows a scheme, not a bound.
        places: Number of decimal places.
    """

    heading: str
    values: Mapping[int, Cosine | None]
    competes: bool
    places: int = COSINE_PLACES

    @property
    def width(self) -> int:
        """Number of characters of the heading's longest line, at least enough for a negative cosine."""
        longest_line = max(len(line) for line in self.heading.splitlines())
        return max(len("-0.") + COSINE_PLACES, longest_line)

    def digits(self, dim: int) -> str | None:
        """Return the value at a dimension as text; None if there is none."""
        value = self.values.get(dim)
        return None if value is None else decimal(value, self.places)


def max_cosine_columns(comparison: Comparison) -> list[Column]:
    """Return a column of maximum cosines for each bound and for each scheme."""
    converse: dict[int, Cosine | None] = {}
    achievable: dict[int, Cosine | None] = {}
    for row in comparison.limits:
        converse[row.dim] = row.converse.value
        achievable[row.dim] = row.achievable and row.achievable.value
    return [
        Column("converse", converse, competes=False),
        Column("achiev-\nable", achievable, competes=False),
        *scheme_columns(comparison, lambda cell: cell.max_cosine),
    ]


def mean_square_columns(comparison: Comparison) -> list[Column]:
    """Return a column of the mean squared cosines of tight frames, and of each scheme."""
    K = comparison.num_classes
    smallest = {dim: welch_mean_square(K, dim).value for dim in comparison.dims}
    return [
        Column("tight\nframe", smallest, competes=False),
        *scheme_columns(comparison, lambda cell: cell.mean_square),
    ]


def energy_columns(comparison: Comparison) -> list[Column]:
    """Return a column of energies in percent for each scheme."""

    def percent(cell: Cell) -> float | None:
        return cell.energy and 100 * cell.energy

    return scheme_columns(comparison, percent, PERCENT_PLACES)


def scheme_columns(
    comparison: Comparison, number: Number, places: int = COSINE_PLACES
) -> list[Column]:
    """Return a column of a statistic for each scheme.

    Args:
        comparison: Codes of all schemes.
        number: Function from a code's cell to the value that is shown.
        places: Number of decimal places.
    """
    columns: list[Column] = []
    for scheme in comparison.schemes:
        values = {cell.dim: number(cell) for cell in comparison.of(scheme)}
        heading = scheme.replace("_", "\n")
        columns.append(Column(heading, values, competes=True, places=places))
    return columns


def print_comparison(
    comparison: Comparison, console: Console, *, energy: bool, mean_square: bool
) -> None:
    """Print a table of max cosines and bounds, of energies, or of mean squared cosines.

    Args:
        comparison: Schemes and bounds.
        console: Console to print on.
        energy: Whether to print energies.
        mean_square: Whether to print mean squared cosines.
    """
    K = comparison.num_classes
    if mean_square:
        title = (
            f"mean squared cosine of {K} points, by dimension n (lower trains better)"
        )
        columns = mean_square_columns(comparison)
        legend = "tight frame: no code is lower"
    elif energy:
        title = f"energy of {K} points in %, by dimension n (lower is better)"
        columns = energy_columns(comparison)
        legend = "energy: mean over classes of the sum of exp(s (cosine - 1)) over the other classes"
    else:
        title = f"max cosine of {K} points, by dimension n (lower is better)"
        columns = max_cosine_columns(comparison)
        legend = "converse: no code is lower    achievable: some code is at most this"
    console.print(title, style="bold")
    print_columns(columns, comparison.dims, console)
    console.print(legend, style="dim")


def print_columns(
    every: Sequence[Column], dims: Sequence[int], console: Console
) -> None:
    """Print the columns in as few tables as the width of the console allows, with equal numbers of columns.

    Args:
        every: Columns.
        dims: Dimensions, one per row.
        console: Console to print on.
    """
    dim_width = max(len(str(dim)) for dim in dims)
    best = best_digits(every, dims)
    for part in fitted(every, console.width - dim_width):
        console.print()
        console.print(table_of(part, dims, best))
    console.print()
    legend = f"{INFEASIBLE} infeasible at this n"
    if console.color_system is not None:
        legend = f"bold: the best of the row    {legend}"
    console.print(legend, style="dim")


def fitted(every: Sequence[Column], room: int) -> Iterator[Sequence[Column]]:
    """Yield the columns in the fewest parts of equal size that are no wider than `room`.

    Args:
        every: Columns.
        room: Largest width in characters.
    """
    for parts in range(1, len(every) + 1):
        size = -(-len(every) // parts)
        chunks = [every[start : start + size] for start in range(0, len(every), size)]
        widest = max(_width(chunk) for chunk in chunks)
        if size == 1 or widest <= room:
            yield from chunks
            return


def _width(columns: Sequence[Column]) -> int:
    return sum(column.width + COLUMN_GAP for column in columns)


def best_digits(every: Sequence[Column], dims: Sequence[int]) -> dict[int, str | None]:
    """Return the lowest value of all schemes at each dimension as text, so that equal texts are marked alike.

    Args:
        every: Columns; bounds are ignored.
        dims: Dimensions.
    """
    best: dict[int, str | None] = {}
    for dim in dims:
        shown = [column.digits(dim) for column in every if column.competes]
        best[dim] = min(filter(None, shown), key=float, default=None)
    return best


def table_of(
    part: Sequence[Column], dims: Sequence[int], best: dict[int, str | None]
) -> Table:
    """Return a table with the dimension as its first column.

    Args:
        part: Columns of the table.
        dims: Dimensions, one per row.
        best: Lowest value at each dimension as text.
    """
    table = Table(
        box=None, pad_edge=False, padding=(0, 0, 0, COLUMN_GAP), collapse_padding=True
    )
    table.add_column("n", justify="right", no_wrap=True, vertical="bottom")
    for column in part:
        table.add_column(
            column.heading, justify="right", no_wrap=True, min_width=column.width
        )
    for dim in dims:
        cells = [styled_cell(column, dim, best[dim]) for column in part]
        table.add_row(str(dim), *cells)
    return table


def styled_cell(column: Column, dim: int, best: str | None) -> Text:
    """Return the styled text of a cell of the table.

    Args:
        column: Column of the cell.
        dim: Dimension of the row.
        best: Lowest value of the row as text, which is printed in bold.
    """
    digits = column.digits(dim)
    if digits is None:
        return Text(INFEASIBLE, style="dim")
    if not column.competes:
        return Text(digits, style="cyan")
    return Text(digits, style="bold green" if digits == best else "")
