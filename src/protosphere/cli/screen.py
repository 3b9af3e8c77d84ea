"""Print the answers of commands, as JSON for programs or as text for people, and format numbers."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.table import Table

from protosphere.terminal import SafeConsole
from protosphere.types import Cosine

LONGEST_FRACTION = 24
"""Largest number of characters of a fraction; a longer fraction is not printed."""


def screen() -> SafeConsole:
    """Return a new console on the current `sys.stdout`, which may have been replaced since the last call."""
    return SafeConsole(highlight=False, markup=False, emoji=False)


def print_json(record: Mapping[str, Any] | Iterable[Any]) -> None:
    """Print a JSON document on standard output.

    Args:
        record: The document, as dictionaries, lists, texts and numbers. NaN and infinity are not allowed.
    """
    sys.stdout.write(json.dumps(record, indent=2, allow_nan=False) + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """Print lines without wrapping them, so that a long line can be copied.

    Args:
        lines: Lines of text.
    """
    console = screen()
    for line in lines:
        console.print(line, soft_wrap=True)


def print_answer(
    record: Mapping[str, Any] | Iterable[Any], lines: Iterable[str], *, json: bool
) -> None:
    """Print the answer of a command, as JSON for programs or as lines of text for people.

    Args:
        record: Answer as a JSON document.
        lines: Answer as lines of text.
        json: Whether to print the JSON document instead of the lines.
    """
    if json:
        print_json(record)
    else:
        print_lines(lines)


def print_summary(title: str, lines: Iterable[tuple[str, str]]) -> None:
    """Print a title and, below it, a list of names with their texts.

    Args:
        title: Title.
        lines: Pairs of a name and a text. Each pair is printed on its own line.
    """
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines:
        grid.add_row(f"  {name}", text)
    console = screen()
    console.print(title, style="bold", soft_wrap=True)
    console.print(grid)


def print_codes(
    numbers: Sequence[str], rows: Iterable[Sequence[str]], legend: str
) -> None:
    """Print a table with a row for each code.

    Args:
        numbers: Headings of all columns but the last. The last column has the fixed heading "scheme: description".
        rows: Entries of each row, as texts: one for each heading in `numbers`, then the scheme with the description of
            the code.
        legend: Explanation of the symbols in the table, which is printed below the table.
    """
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("scheme: description", overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen().print(table)
    screen().print(legend, style="dim")


def decimal(value: Cosine, places: int = 6) -> str:
    """Return a cosine as text with a fixed number of decimal places. A zero is printed without a minus sign.

    Args:
        value: The cosine.
        places: Number of decimal places.

    >>> decimal(Fraction(1, 4)), decimal(-1e-12, 4)
    ('0.250000', '0.0000')
    """
    text = f"{float(value):.{places}f}"
    is_zero = float(text) == 0
    return text.lstrip("-") if is_zero else text


def format_cosine(value: Cosine) -> str:
    """Return a cosine as text with six decimal places, followed by its exact value if this is a short fraction.

    A float is never followed by an exact value. After a fraction with more than 24 characters, only the word "exact" is
    added. A fraction that is an integer is written without decimal places, as in '0 (exactly)'.

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
    """Return `value`, the difference of two numbers, as text with six decimal places.

    A difference whose absolute value is below 1e-5 is written in scientific notation, and a zero as "0".

    >>> difference(0.0), difference(0.25), difference(3e-9)
    ('0', '0.250000', '3.0e-09')
    """
    if value == 0:
        return "0"
    return decimal(value) if abs(value) >= 1e-5 else f"{value:.1e}"


def cosine_fields(name: str, value: Cosine | None) -> dict[str, Any]:
    """Return a cosine as two JSON fields: a float, and the exact fraction as text.

    If the cosine is a float, the second field is None (null in JSON).

    Args:
        name: Name of the field with the float. The other field has this name with the ending "_exact".
        value: The cosine. If it is None, both fields are None.

    >>> cosine_fields("gap", Fraction(1, 4))
    {'gap': 0.25, 'gap_exact': '1/4'}
    """
    number = None if value is None else float(value)
    exact = str(value) if isinstance(value, Fraction) else None
    return {name: number, f"{name}_exact": exact}
