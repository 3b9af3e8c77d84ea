"""Print tables that compare schemes, with one row per dimension and one column per scheme.

A table that is too wide for the terminal is split into several tables.
"""

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
        heading: Heading, of one or more short lines.
        values: Value by dimension; None if the scheme or the bound does not exist there.
        competes: Whether the column shows a scheme; otherwise it shows a bound.
        places: Number of decimal places.
    """

    heading: str
    values: Mapping[int, Cosine | None]
    competes: bool
    places: int = COSINE_PLACES

    @property
    def width(self) -> int:
        """Width in characters: the longest line of the heading or, if it is longer, a negative cosine."""
        longest_line = max(len(line) for line in self.heading.splitlines())
        return max(len("-0.") + COSINE_PLACES, longest_line)

    def digits(self, dim: int) -> str | None:
        """Return the value at a dimension as text; None if the column has no value there."""
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
    """Return columns of mean squared cosines: the minimum, which tight frames attain, and one for each scheme."""
    K = comparison.num_classes
    smallest = {dim: welch_mean_square(K, dim).value for dim in comparison.dims}
    return [
        Column("tight\nframe", smallest, competes=False),
        *scheme_columns(comparison, lambda cell: cell.mean_square),
    ]


def energy_columns(comparison: Comparison) -> list[Column]:
    """Return one column of energies in percent for each scheme; `ps.CodeStatistics` defines the energy."""

    def percent(cell: Cell) -> float | None:
        return cell.energy and 100 * cell.energy

    return scheme_columns(comparison, percent, PERCENT_PLACES)


def scheme_columns(
    comparison: Comparison, number: Number, places: int = COSINE_PLACES
) -> list[Column]:
    """Return one column for each scheme, with a statistic of its codes.

    Args:
        comparison: Results of all schemes.
        number: Function from the result of a scheme at one dimension to the statistic, or to None if it is not known.
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
    """Print a table of maximum cosines and bounds, of energies, or of mean squared cosines.

    Args:
        comparison: Schemes and bounds.
        console: Console to print on.
        energy: Whether to print energies instead of maximum cosines.
        mean_square: Whether to print mean squared cosines instead of maximum cosines.
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
        legend = "energy: lower means more uniform points; compare energies at the same n only"
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
    """Print the columns in as few tables as the width of the console allows.

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
    """Yield groups of columns, each at most `room` characters wide; the number of groups is as small as possible.

    All groups have the same number of columns, except that the last may have fewer. A single column may be wider than
    `room`.

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
    """Return, for each dimension, the lowest value of all schemes as text; None if no scheme has a value.

    Entries whose text equals this text are marked, so that all schemes with the same printed value are marked.

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
        best: Lowest value of all schemes at each dimension, as text.
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
    """Return the styled text of one entry of the table.

    Args:
        column: Column of the entry.
        dim: Dimension of the row.
        best: Lowest value of the row as text; entries with this text are printed in bold.
    """
    digits = column.digits(dim)
    if digits is None:
        return Text(INFEASIBLE, style="dim")
    if not column.competes:
        return Text(digits, style="cyan")
    return Text(digits, style="bold green" if digits == best else "")
