"""Command `protosphere histogram`, which prints the distribution of cosines as horizontal bars.

A bin is an interval of cosines.

The function of the command has these arguments, whose help texts are not in its docstring:

- `num_classes` is the number of points K.
- `dim` is the dimension n of the points.
- `seed` is the seed of all random choices.
- `options` has the options of the scheme. An option that the user did not give is None.
- `json` is True to print JSON, and False to print text.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from rich.bar import Bar
from rich.table import Table

import protosphere as ps
from protosphere.cli.arguments import (
    UNSET,
    Classes,
    Dim,
    Json,
    Options,
    Output,
    Seed,
    Whole,
)
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import (
    cosine_fields,
    decimal,
    format_cosine,
    print_json,
    screen,
)
from protosphere.errors import brief
from protosphere.plots import draw_histogram
from protosphere.spherical.cosines import CosineBin, CosineCounts, cosine_counts

MOST_BINS = 1000


def histogram(
    scheme: str,
    /,
    *,
    num_classes: Classes,
    dim: Dim,
    seed: Seed = 0,
    options: Options = UNSET,
    bins: Whole = 40,
    output: Output = None,
    json: Json = False,
) -> None:
    """Print how often each cosine occurs among all pairs of points.

    There is one bar for each different cosine if the cosines are exact fractions and at most --bins of them differ.
    Otherwise there is one bar for each bin, an interval of cosines.

    Args:
        scheme: Name of a scheme that `protosphere list` shows.
        bins: Number of bins, the intervals of equal length into which [-1, 1] is divided.
        output: Path of a figure to draw (.png, .pdf or .svg).
    """
    picture = checked_output(output, FIGURE_ENDINGS)
    if not 1 <= bins <= MOST_BINS:
        raise ps.InvalidArgumentError(
            f"--bins must be from 1 to {MOST_BINS}, got {brief(bins)}"
        )
    with ps.progress_bar(scheme) as progress:
        code = ps.construct(
            scheme,
            num_classes=num_classes,
            dim=dim,
            seed=seed,
            progress=progress,
            **options.given(),
        )
        counts = cosine_counts(code, bins, progress)
    if picture is not None:
        draw_histogram(code, picture, bins=bins)
    if json:
        record = {
            "scheme": counts.scheme,
            "num_classes": counts.num_classes,
            "dim": counts.dim,
            "pairs": counts.pairs,
            **cosine_fields("max_cosine", counts.max_cosine),
            "exact": counts.exact,
            "figure": picture and str(picture),
            "bins": counts.records(),
        }
        print_json(record)
        return
    print_counts(counts, bins)
    if picture is not None:
        screen().print(f"figure: {picture}")


def print_counts(counts: CosineCounts, most: int) -> None:
    """Print horizontal bars that show how many pairs of points have each cosine.

    - If the cosines are exact and have at most `most` different values, there is a bar for each value.
    - If the cosines are exact and have more than `most` different values, there is a bar for each bin that is not
      empty. The bins are `most` intervals of equal length, into which [-1, 1] is divided.
    - If the cosines are not exact, there is a bar for each bin of `counts`.

    Args:
        counts: The number of pairs of points for each exact cosine or, if the cosines are not exact, for each bin.
        most: Largest number of bars for exact cosines. If there are more exact cosines, this is the number of bins.
    """
    console = screen()
    grouped = counts.exact and len(counts.bins) > most
    rows = binned(counts.bins, most) if grouped else counts.bins
    title = f"{counts.scheme}: cosines of the {counts.pairs} pairs of {counts.num_classes} points"
    console.print(f"{title} in {counts.dim} dimensions", style="bold")
    console.print(bars(rows, counts.pairs))
    if grouped:
        console.print(
            f"{len(counts.bins)} exact values in {most} bins; --json has each",
            style="dim",
        )
    console.print(f"max cosine {format_cosine(counts.max_cosine)}")


def bars(rows: Sequence[CosineBin], pairs: int) -> Table:
    """Return a table with a row for each entry of `rows`.

    The table has four columns: cosine, bar, number of pairs, and percentage of all pairs.

    Args:
        rows: Cosines or bins (intervals of cosines), each with the number of pairs of points that have this cosine or a
            cosine in this bin.
        pairs: Number of all pairs of points, of which the percentages are computed.
    """
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True, style="dim")
    longest = max(row.pairs for row in rows)
    for row in rows:
        table.add_row(
            label(row),
            Bar(longest, 0, row.pairs),
            str(row.pairs),
            share(row.pairs / pairs),
        )
    return table


def label(row: CosineBin) -> str:
    """Return the label of a bar: a cosine as a fraction and a decimal number, or the two ends of a bin.

    Args:
        row: A single cosine or a bin (interval of cosines), with its number of pairs.

    >>> label(CosineBin(Fraction(-1, 4), Fraction(-1, 4), 3)), label(CosineBin(0.0, 0.05, 3))
    ('-1/4 = -0.2500', '0.0000 to 0.0500')
    """
    if row.low != row.high:
        return f"{decimal(row.low, 4)} to {decimal(row.high, 4)}"
    if isinstance(row.low, Fraction) and row.low.denominator > 1:
        return f"{row.low} = {decimal(row.low, 4)}"
    return str(row.low)


def share(fraction: float) -> str:
    """Return a positive fraction as text in percent. If it is too small for one decimal place, the text is "<0.1%".

    >>> share(0.5), share(1e-9)
    ('50.0%', '<0.1%')
    """
    return f"{fraction:.1%}" if fraction >= 0.0005 else "<0.1%"


def binned(exact: Sequence[CosineBin], bins: int) -> list[CosineBin]:
    """Group exact cosines into bins, which are intervals of cosines, and return the bins that are not empty.

    Args:
        exact: Exact cosines with their numbers of pairs.
        bins: Number of bins of equal length into which [-1, 1] is divided.
    """
    edges = np.linspace(-1.0, 1.0, bins + 1)
    values = [float(entry.low) for entry in exact]
    pairs = [entry.pairs for entry in exact]
    counts, _ = np.histogram(values, bins=edges, weights=pairs)
    filled: list[CosineBin] = []
    for i in np.flatnonzero(counts):
        low = float(edges[i])
        high = float(edges[i + 1])
        filled.append(CosineBin(low, high, round(counts[i])))
    return filled
