"""Where answers go: JSON for programs, rich for people."""

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table


class Screen(Console):
    """Standard output; a reader that leaves early is an error like any other, for `main` to handle."""

    def on_broken_pipe(self) -> None:
        """Pass the error on where rich would end the program."""
        raise BrokenPipeError


def screen() -> Screen:
    """Standard output as it is now: a test or a pipe may have replaced it."""
    return Screen(highlight=False, markup=False, emoji=False)


def print_json(record: Mapping[str, Any] | Iterable[Any]) -> None:
    """One JSON document and nothing else."""
    sys.stdout.write(json.dumps(record, indent=2, allow_nan=False) + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """One after the other; a long one stays in one piece, so that it can be copied."""
    console = screen()
    for line in lines:
        console.print(line, soft_wrap=True)


def print_answer(record: Mapping[str, Any] | Iterable[Any], lines: Iterable[str], *, json: bool) -> None:
    """The record for programs, or the lines for people."""
    print_json(record) if json else print_lines(lines)


def print_card(title: str, lines: Iterable[tuple[str, str]]) -> None:
    """A title and what belongs to it, a line each, the names in a column of their own."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines:
        grid.add_row(f"  {name}", text)
    console = screen()
    console.print(title, style="bold", soft_wrap=True)  # a long file name stays in one piece
    console.print(grid)
