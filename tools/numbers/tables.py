"""Texts for pages: Markdown tables, percentages, cosines and rounded numbers."""

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
    """Return a share as a percentage, such as "56%" for 0.561."""
    return f"{100 * share:.{digits}f}%"


def span(values: Iterable[float], digits: int = 1) -> str:
    """Return the smallest and the largest of the values as text, such as "93.0 to 94.9"."""
    known = list(values)
    return f"{min(known):.{digits}f} to {max(known):.{digits}f}"


def cosine(value: Any, digits: int = 4) -> str:
    """Return a cosine as text: a fraction unchanged, a float with `digits` decimals, and an empty text for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.{digits}f}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number rounded to `digits` significant digits, with commas between thousands, such as "2,240" for 2244.

    Numbers of 100,000 or more are rounded to an integer only.
    """
    return f"{float(f'{value:.{digits}g}'):,g}" if value < 100_000 else f"{value:,.0f}"
