"""Where answers go: JSON for programs, rich for people; and how numbers look to both."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.table import Table

from protosphere.terminal import SafeConsole
from protosphere.types import Cosine

LONGEST_FRACTION = 24
"""Characters of a fraction that is still worth reading."""


def screen() -> SafeConsole:
    """Standard output as it is now: a test or a pipe may have replaced it."""
    return SafeConsole(highlight=False, markup=False, emoji=False)


def print_json(record: Mapping[str, Any] | Iterable[Any]) -> None:
    """One JSON document and nothing else."""
    sys.stdout.write(json.dumps(record, indent=2, allow_nan=False) + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """One after the other; a long one stays in one piece, so that it can be copied."""
    console = screen()
    for line in lines:
        console.print(line, soft_wrap=True)


def print_answer(
    record: Mapping[str, Any] | Iterable[Any], lines: Iterable[str], *, json: bool
) -> None:
    """The record for programs, or the lines for people."""
    print_json(record) if json else print_lines(lines)


def print_summary(title: str, lines: Iterable[tuple[str, str]]) -> None:
    """A title and what belongs to it, a line each, the names in a column of their own."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines:
        grid.add_row(f"  {name}", text)
    console = screen()
    console.print(
        title, style="bold", soft_wrap=True
    )  # a long file name stays in one piece
    console.print(grid)


def print_codes(
    numbers: Sequence[str], rows: Iterable[Sequence[str]], legend: str
) -> None:
    """A line per code: its numbers under these headings, then its scheme and recipe; and what a sign means."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("scheme: recipe", overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen().print(table)
    screen().print(legend, style="dim")


def decimal(value: Cosine, places: int = 6) -> str:
    """With a fixed number of places, and never -0.

    >>> decimal(Fraction(1, 4)), decimal(-1e-12, 4)
    ('0.250000', '0.0000')
    """
    text = f"{float(value):.{places}f}"
    return text.lstrip("-") if float(text) == 0 else text


def format_cosine(value: Cosine) -> str:
    """The decimal, with the fraction beside it where it is exact.

    >>> format_cosine(Fraction(-1, 99)), format_cosine(Fraction(0)), format_cosine(0.0365871)
    ('-0.010101 (exactly -1/99)', '0 (exactly)', '0.036587')
    """
    if not isinstance(value, Fraction):
        return decimal(value)
    if value.denominator == 1:
        return f"{value} (exactly)"
    digits = str(value)
    if len(digits) <= LONGEST_FRACTION:
        return f"{decimal(value)} (exactly {digits})"
    return f"{decimal(value)} (exact)"


def difference(value: float) -> str:
    """A difference: fixed places, or its order of magnitude where those would show nothing.

    >>> difference(0.0), difference(0.25), difference(3e-9)
    ('0', '0.250000', '3.0e-09')
    """
    if value == 0:
        return "0"
    return decimal(value) if abs(value) >= 1e-5 else f"{value:.1e}"


def cosine_fields(name: str, value: Cosine | None) -> dict[str, Any]:
    """For JSON: the float under `name`, the fraction as text under `name`_exact (null where it is not exact).

    >>> cosine_fields("gap", Fraction(1, 4))
    {'gap': 0.25, 'gap_exact': '1/4'}
    """
    exact = str(value) if isinstance(value, Fraction) else None
    return {name: None if value is None else float(value), f"{name}_exact": exact}
