"""Command `python -m tools numbers`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter
from rich.table import Table

from protosphere.cli.screen import screen
from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.storage.files import replace_bytes
from tools.numbers.maker import CHEAP, STUDY, Maker
from tools.numbers.makers import MAKERS
from tools.numbers.pages import check_names, shown_numbers, write_pages
from tools.numbers.record import (
    changed_defaults,
    load_average,
    made_while_busy,
    read_record,
    record_of,
    write_record,
)
from tools.numbers.run import Answer
from tools.numbers.tables import markdown

LONGEST_TEXT = 40
"""Largest number of characters of a number in the report."""

HEADINGS = ("number", "page", "command", "before", "after", "moved")

Flag = Annotated[bool, Parameter(negative="")]


class Row(NamedTuple):
    """One place where a page shows a number, with its text before and after the maker ran."""

    number: str
    page: str
    command: str
    before: str
    after: str
    moved: bool

    def texts(self) -> list[str]:
        """Return the cells of the row in the report, in the order of `HEADINGS`."""
        moved = "yes" if self.moved else ""
        return [
            self.number,
            self.page,
            self.command,
            brief(self.before),
            brief(self.after),
            moved,
        ]


def numbers(
    *names: str,
    write: Flag = False,
    cheap: Flag = False,
    stale: Flag = False,
    accept: Flag = False,
    render: Flag = False,
    report: Path | None = None,
) -> None:
    """Run the makers of the numbers on pages again and show which numbers changed.

    The exit code is 1 if a number changed, or if a study was made with other defaults than those of today. If --write
    is given, each answer is kept as soon as it is made. If --stale is given, too, an interrupted run continues.

    Args:
        names: Names of the makers to run. The default is all makers.
        write: Keep the new answers in results/numbers and write them on the pages.
        cheap: Run only makers that take less than a minute.
        stale: Run only makers that have no answer yet, whose defaults have changed since, or whose times were measured
            on a busy machine.
        accept: Keep a study whose runs were made with other defaults, and call it up to date; its page must say so.
        render: Run no command. Only write the pages from the answers that are kept.
        report: Path of a Markdown file for the table of numbers.
    """
    check_names({number for maker in MAKERS.values() for number in numbers_of(maker)})
    if render:
        report_pages(write_pages(kept_texts()))
        return
    rows: list[Row] = []
    outdated: list[str] = []
    busy: list[str] = []
    for maker in chosen_makers(names, cheap=cheap, stale=stale):
        before = read_record(maker)
        begun = time.perf_counter()
        screen().print(f"{maker.name}: {maker.command}", soft_wrap=True)
        load = load_average()
        answer = maker.selected(maker.measure())
        record = record_of(maker, answer, None if accept else before, load)
        screen().print(f"  {time.perf_counter() - begun:.0f} s")
        rows += compared_rows(maker, before, record["answer"])
        busy += [maker.name] if made_while_busy(maker, record) else []
        outdated += [
            f"{maker.name}: {change}" for change in changed_defaults(maker, record)
        ]
        if write:
            write_record(maker, record)
    if write:
        report_pages(write_pages(kept_texts()))
    report_rows(rows)
    report_outdated(outdated)
    report_busy(busy)
    if report is not None:
        replace_bytes(
            report, (markdown(HEADINGS, [row.texts() for row in rows]) + "\n").encode()
        )
    if outdated or any(row.moved for row in rows):
        sys.exit(1)


def numbers_of(maker: Maker) -> list[str]:
    """Return the full names, MAKER.NAME, of the numbers of a maker."""
    return [f"{maker.name}.{name}" for name in maker.shown]


def chosen_makers(names: tuple[str, ...], *, cheap: bool, stale: bool) -> list[Maker]:
    """Return the makers with the given names, or all makers if there are no names.

    If `cheap` is True, makers of cost SLOW are left out. If `stale` is True, only stale makers are kept (see
    `is_stale`).

    Raises:
        InvalidArgumentError: If there are names and `cheap` is True, or if a name is not that of a maker.
    """
    if names and cheap:
        raise InvalidArgumentError(
            "'--cheap' chooses makers by itself; leave out the names or '--cheap'"
        )
    makers = [MAKERS[as_choice("names", name, list(MAKERS))] for name in names] or list(
        MAKERS.values()
    )
    if cheap:
        makers = [maker for maker in makers if maker.cost in (CHEAP, STUDY)]
    if stale:
        makers = [maker for maker in makers if is_stale(maker)]
    return makers


def is_stale(maker: Maker) -> bool:
    """Return whether the maker has to run again.

    It has to if it has no record, if a default has changed since the record was made, or if the record has times that
    were measured on a busy machine.
    """
    record = read_record(maker)
    return (
        record is None
        or made_while_busy(maker, record)
        or bool(changed_defaults(maker, record))
    )


def kept_texts() -> dict[str, str]:
    """Return the text of every number by its full name, computed from the records."""
    texts: dict[str, str] = {}
    for maker in MAKERS.values():
        record = read_record(maker)
        if record is not None:
            texts |= maker.texts(record["answer"])
    return texts


def compared_rows(
    maker: Maker, before: dict[str, Any] | None, answer: Answer
) -> Iterator[Row]:
    """Yield a row for each place on a page that shows a number of the maker.

    Args:
        maker: A maker that ran.
        before: Its record before the run; None if there was none.
        answer: Its new answer.
    """
    beyond_tolerance = before is None or bool(maker.moves(before["answer"], answer))
    new = maker.texts(answer)
    for shown in shown_numbers():
        if shown.name in new:
            old_text = shown.text.strip()
            new_text = new[shown.name]
            moved = beyond_tolerance and old_text != new_text
            yield Row(shown.name, shown.page, maker.command, old_text, new_text, moved)


def report_rows(rows: list[Row]) -> None:
    """Print the rows as a table."""
    table = Table()
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row.texts())
    screen().print(table)


def report_outdated(outdated: list[str]) -> None:
    """Print which studies were made with other defaults, and what the user can do.

    Each text in `outdated` names a study and the default that changed.
    """
    for change in outdated:
        screen().print(f"made with another default: {change}", soft_wrap=True)
    if outdated:
        screen().print(
            "Run the commands of these studies again, or say on their pages with what they were made and use --accept.",
            soft_wrap=True,
        )


def report_busy(busy: list[str]) -> None:
    """Print the names of makers that measured times on a busy machine."""
    if busy:
        names = ", ".join(busy)
        screen().print(
            f"times of a busy machine: {names}. Run 'python -m tools numbers --stale --write' when it is idle.",
            soft_wrap=True,
        )


def brief(text: str) -> str:
    """Return a text, cut to `LONGEST_TEXT` characters. For a table, return only how many lines it has."""
    if "\n" in text:
        return f"table of {len(text.splitlines())} lines"
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."


def report_pages(changed: list[str]) -> None:
    """Print the names of the pages that were written."""
    screen().print(
        f"pages written: {', '.join(changed) or 'none, all were up to date'}"
    )
