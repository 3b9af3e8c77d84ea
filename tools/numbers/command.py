"""`python -m tools numbers`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter
from rich.table import Table

from protosphere.cli.screen import screen
from protosphere.errors import InvalidArgumentError, as_choice
from tools.numbers.maker import CHEAP, STUDY, Answer, Maker
from tools.numbers.makers import MAKERS
from tools.numbers.pages import check_names, shown_numbers, write_pages
from tools.numbers.record import changed_defaults, read_record, record_of, write_record

LONGEST_TEXT = 40
"""Characters of a number in the table; of a longer one, such as a table, the table says that it is one."""


class Row(NamedTuple):
    """One number of one page before and after its maker ran."""

    number: str
    page: str
    command: str
    before: str
    after: str
    moved: bool


def numbers(
    *names: str,
    write: Annotated[bool, Parameter(negative="")] = False,
    cheap: Annotated[bool, Parameter(negative="")] = False,
    render: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Run the makers of all printed numbers again and show what moved; exit code 1 if something did.

    Args:
        names: Only these makers; all of them unless given.
        write: Keep the new answers in results/numbers and write them on the pages.
        cheap: Only makers that take seconds.
        render: Run nothing: write the pages from the answers that are kept.
    """
    check_names({number for maker in MAKERS.values() for number in numbers_of(maker)})
    if render:
        report_pages(write_pages(kept_texts()))
        return
    moved = False
    for maker in chosen_makers(names, cheap=cheap):
        begun = time.perf_counter()
        screen().print(f"{maker.name}: {maker.command}", soft_wrap=True)
        before, answer = read_record(maker), maker.measure()
        record = record_of(maker, answer)
        rows = list(compared_rows(maker, before, record["answer"]))
        moved = report_maker(maker, before, rows, time.perf_counter() - begun) or moved
        if write:
            write_record(maker, record)
    if write:
        report_pages(write_pages(kept_texts()))
    if moved:
        sys.exit(1)


def numbers_of(maker: Maker) -> list[str]:
    """Return the full names of the maker's numbers."""
    return [f"{maker.name}.{name}" for name in maker.shown]


def chosen_makers(names: tuple[str, ...], *, cheap: bool) -> list[Maker]:
    """Return the makers of these names, or all, of which `cheap` leaves the slow ones out."""
    if names and cheap:
        raise InvalidArgumentError("'--cheap' chooses makers by itself; leave out the names or '--cheap'")
    if names:
        return [MAKERS[as_choice("names", name, list(MAKERS))] for name in names]
    return [maker for maker in MAKERS.values() if not cheap or maker.cost in (CHEAP, STUDY)]


def kept_texts() -> dict[str, str]:
    """Return the text of every number by the answers that are kept."""
    texts: dict[str, str] = {}
    for maker in MAKERS.values():
        record = read_record(maker)
        if record is not None:
            texts |= maker.texts(record["answer"])
    return texts


def compared_rows(maker: Maker, before: dict[str, Any] | None, answer: Answer) -> Iterator[Row]:
    """Yield a row for each place where a number of the maker is shown."""
    old = {} if before is None else maker.texts(before["answer"])
    moved = before is None or bool(maker.moves(before["answer"], answer))
    new = maker.texts(answer)
    for shown in shown_numbers():
        if shown.name in new:
            differs = old.get(shown.name) != new[shown.name]
            yield Row(
                shown.name, shown.page, maker.command, old.get(shown.name, "none"), new[shown.name], moved and differs
            )


def report_maker(maker: Maker, before: dict[str, Any] | None, rows: list[Row], seconds: float) -> bool:
    """Print the table of a maker's numbers; return whether something moved beyond its tolerance."""
    table = Table(title=f"{maker.name}, {seconds:.0f} s", title_justify="left")
    for heading in ("number", "page", "before", "after", "moved"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(row.number, row.page, brief(row.before), brief(row.after), "moved" if row.moved else "")
    screen().print(table)
    for change in [] if before is None else changed_defaults(maker, before):
        screen().print(f"a default has changed: {change}", soft_wrap=True)
    return any(row.moved for row in rows)


def brief(text: str) -> str:
    """Return a text as it fits into a table: of a table only how many lines it has."""
    if "\n" in text:
        return f"a table of {len(text.splitlines())} lines"
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."


def report_pages(changed: list[str]) -> None:
    """Print which pages were written."""
    screen().print(f"pages written: {', '.join(changed) or 'none, all were up to date'}")
