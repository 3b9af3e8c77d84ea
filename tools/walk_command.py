"""Command `python -m tools walk`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

import protosphere as ps
from protosphere.cli.arguments import Json
from protosphere.cli.screen import print_json, print_lines, screen
from protosphere.errors import InvalidArgumentError, brief
from tools.walks import WALKS, Walk, measure

HEADINGS = ("walk", "files", "beside schemes", "edges", "hops")


def walk(*names: str, json: Json = False) -> None:
    """Count the files that typical calls of the library visit, and the calls from one of these files to another.

    Each call runs in a new process. If names are given, the number of calls between each two files is printed, too.

    Args:
        names: Any of best, head, loss, train and certify. The default is all of them.
    """
    for name in names:
        if name not in WALKS:
            known = ", ".join(WALKS)
            raise InvalidArgumentError(
                f"there is no walk {brief(name)}; the walks are: {known}"
            )
    walks = [_measured(name) for name in names or WALKS]
    if json:
        print_json([walk.record() for walk in walks])
        return
    screen().print(counts_table(walks))
    if names:
        for walk in walks:
            print_lines(edge_lines(walk))


def _measured(name: str) -> Walk:
    with ps.progress_bar(name):
        return measure(name)


def counts_table(walks: Sequence[Walk]) -> Table:
    """Return a table with a row for each walk and the columns `HEADINGS`."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for number, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    for walk in walks:
        files = len(walk.files)
        counts = (
            files,
            files - len(walk.scheme_files),
            len(walk.calls),
            walk.hops,
        )
        table.add_row(walk.title, *map(str, counts))
    return table


def edge_lines(walk: Walk) -> list[str]:
    """Return lines of text: the title of a walk, then the number of calls for each pair of files (caller, callee)."""
    lines = ["", walk.title]
    for (caller, callee), calls in walk.calls.items():
        lines.append(f"{calls:7,}  {caller} -> {callee}")
    return lines
