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
"""Number of blanks between two columns of a table."""

INFEASIBLE = "\N{MIDDLE DOT}"
Number = Callable[[Cell], Cosine | None]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Heading of the column, of one or more short lines.
        values: Mapping from dimension n to the value to print. The value is None if the scheme or the bound does not
            exist in this dimension.
        competes: True if the column shows a scheme, False if it shows a bound.
        places: Number of decimal places of the printed values.
    """

    heading: str
    values: Mapping[int, Cosine | None]
    competes: bool
    places: int = COSINE_PLACES

    @property
    def width(self) -> int:
        """Smallest width in characters in which each line of the heading and a negative cosine fit."""
        longest_line = max(len(line) for line in self.heading.splitlines())
        return max(len("-0.") + COSINE_PLACES, longest_line)

    def digits(self, dim: int) -> str | None:
        """Return the value at a dimension as text, or None if the column has no value at this dimension.

        Args:
            dim: Dimension n.
        """
        value = self.values.get(dim)
        return None if value is None else decimal(value, self.places)


def max_cosine_columns(comparison: Comparison) -> list[Column]:
    """Return the columns of the table of maximum cosines: two columns with bounds, then a column for each scheme.

    The column "converse" has lower bounds: no K points in R^n have a lower maximum cosine. The column "achievable" has
    upper bounds: some K points in R^n have at most this maximum cosine.

    Args:
        comparison: Results of all schemes, with bounds.
    """
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
    """Return the columns of the table of mean squared cosines: a lower bound, then a column for each scheme.

    The lower bound is the mean squared cosine of a tight frame. No K points in R^n have a lower one.

    Args:
        comparison: Results of all schemes.
    """
    K = comparison.num_classes
    smallest = {dim: welch_mean_square(K, dim).value for dim in comparison.dims}
    return [
        Column("tight\nframe", smallest, competes=False),
        *scheme_columns(comparison, lambda cell: cell.mean_square),
    ]


def energy_columns(comparison: Comparison) -> list[Column]:
    """Return a column for each scheme with the energies of its codes in percent.

    The energy of a code is the mean over points i of the sum over all other points j of exp(s (cos(i, j) - 1)). The
    scale s depends on K and n. Lower energy means more uniform points.

    Args:
        comparison: Results of all schemes.
    """

    def percent(cell: Cell) -> float | None:
        return cell.energy and 100 * cell.energy

    return scheme_columns(comparison, percent, PERCENT_PLACES)


def scheme_columns(
    comparison: Comparison, number: Number, places: int = COSINE_PLACES
) -> list[Column]:
    """Return a column for each scheme, which shows the same statistic of its code at each dimension.

    Args:
        comparison: Results of all schemes.
        number: Function that takes the result of a scheme at one dimension and returns the statistic, or None if the
            result has no value of it.
        places: Number of decimal places of the printed values.
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
    """Print a table of one statistic of the codes of all schemes.

    - If `mean_square` is True, the table has the mean squared cosines, with a lower bound.
    - If only `energy` is True, the table has the energies.
    - If both are False, the table has the maximum cosines, with bounds.

    Args:
        comparison: Results of all schemes, with bounds.
        console: Console to print on.
        energy: Whether to print energies. If `mean_square` is True, `energy` has no effect.
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
        every: All columns, which may be divided among several tables.
        dims: Dimensions n, one for each row of a table.
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
    """Yield the columns in groups, as few as possible, such that each group is at most `room` characters wide.

    The last group may have fewer columns than the others, which have equally many. If not even one column fits into
    `room`, each group has one column, which is then too wide.

    Args:
        every: All columns, which are divided into groups.
        room: Largest width of a group in characters.
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
    """Return a mapping from each dimension to the lowest value that a scheme has at this dimension, as printed text.

    The values are texts, because a table marks all entries that look like the lowest value. If no scheme has a value at
    a dimension, the dimension is mapped to None.

    Args:
        every: Columns. Those that show bounds are ignored.
        dims: Dimensions n.
    """
    best: dict[int, str | None] = {}
    for dim in dims:
        shown = [column.digits(dim) for column in every if column.competes]
        best[dim] = min(filter(None, shown), key=float, default=None)
    return best


def table_of(
    part: Sequence[Column], dims: Sequence[int], best: dict[int, str | None]
) -> Table:
    """Return a table with a column of dimensions, followed by the given columns.

    Args:
        part: Columns that follow the column of dimensions.
        dims: Dimensions n, one for each row.
        best: Mapping from dimension to the lowest value of all schemes, as text. Entries of schemes with this text are
            printed in bold.
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
        dim: Dimension n of the row.
        best: Lowest value of all schemes in the row, as text. If the column shows a scheme and the entry has this text,
            it is bold.
    """
    digits = column.digits(dim)
    if digits is None:
        return Text(INFEASIBLE, style="dim")
    if not column.competes:
        return Text(digits, style="cyan")
    return Text(digits, style="bold green" if digits == best else "")
