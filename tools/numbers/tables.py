"""Answers as Markdown: tables, fractions, percentages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    >>> print(markdown(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [headings, *rows]
    texts = [f"| {' | '.join(line)} |" for line in lines]
    texts.insert(1, "|" + "---|" * len(headings))
    return "\n".join(texts)


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage: 0.561 as 56%."""
    return f"{100 * share:.{digits}f}%"


def span(values: Iterable[float], digits: int = 1) -> str:
    """Return from where to where values are: 93.0 to 94.9."""
    known = list(values)
    return f"{min(known):.{digits}f} to {max(known):.{digits}f}"


def cosine(value: Any, digits: int = 4) -> str:
    """Return a cosine: a fraction as it is, a float with so many digits, nothing where there is none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.{digits}f}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits and commas between thousands: 2,240 for 2244."""
    return f"{float(f'{value:.{digits}g}'):,g}" if value < 100_000 else f"{value:,.0f}"
