"""`python -m tools numbers`."""

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
"""Characters of a number in the report; of a longer one it has the beginning, of a table how many lines it has."""

HEADINGS = ("number", "page", "command", "before", "after", "moved")

Flag = Annotated[bool, Parameter(negative="")]


class Row(NamedTuple):
    """One number of one page, before and after its maker ran."""

    number: str
    page: str
    command: str
    before: str
    after: str
    moved: bool

    def texts(self) -> list[str]:
        """Return the cells of the report."""
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
    """Run the makers of all printed numbers again and show what moved; exit code 1 if something did.

    With --write each answer is kept as soon as it is made, so that a run that was stopped goes on by
    `python -m tools numbers --stale --write`.

    Args:
        names: Only these makers; all of them unless given.
        write: Keep the new answers in results/numbers and write them on the pages.
        cheap: Only makers that take less than a minute.
        stale: Only makers without an answer, or with one from other defaults or with times of a busy machine.
        accept: Keep a study whose runs were made with other defaults, and call it up to date; its page must say so.
        render: Run nothing: write the pages from the answers that are kept.
        report: Write the table of what moved into this Markdown file, too.
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
    """Return the full names of the maker's numbers."""
    return [f"{maker.name}.{name}" for name in maker.shown]


def chosen_makers(names: tuple[str, ...], *, cheap: bool, stale: bool) -> list[Maker]:
    """Return the makers of these names, or all, without those that `cheap` and `stale` leave out."""
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
    """Return whether the maker has no answer yet, or one from other defaults or with times of a busy machine."""
    record = read_record(maker)
    return (
        record is None
        or made_while_busy(maker, record)
        or bool(changed_defaults(maker, record))
    )


def kept_texts() -> dict[str, str]:
    """Return the text of every number by the answers that are kept."""
    texts: dict[str, str] = {}
    for maker in MAKERS.values():
        record = read_record(maker)
        if record is not None:
            texts |= maker.texts(record["answer"])
    return texts


def compared_rows(
    maker: Maker, before: dict[str, Any] | None, answer: Answer
) -> Iterator[Row]:
    """Yield a row for each place where a number of the maker is shown."""
    beyond_tolerance = before is None or bool(maker.moves(before["answer"], answer))
    new = maker.texts(answer)
    for shown in shown_numbers():
        if shown.name in new:
            old_text = shown.text.strip()
            new_text = new[shown.name]
            moved = beyond_tolerance and old_text != new_text
            yield Row(shown.name, shown.page, maker.command, old_text, new_text, moved)


def report_rows(rows: list[Row]) -> None:
    """Print the table of all numbers."""
    table = Table()
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row.texts())
    screen().print(table)


def report_outdated(outdated: list[str]) -> None:
    """Print which studies were made with other defaults, and what to do."""
    for change in outdated:
        screen().print(f"made with another default: {change}", soft_wrap=True)
    if outdated:
        screen().print(
            "Run the commands of these studies again, or say on their pages with what they were made and use --accept.",
            soft_wrap=True,
        )


def report_busy(busy: list[str]) -> None:
    """Print which makers measured times while the machine had other work to do."""
    if busy:
        names = ", ".join(busy)
        screen().print(
            f"times of a busy machine: {names}. Run 'python -m tools numbers --stale --write' when it is idle.",
            soft_wrap=True,
        )


def brief(text: str) -> str:
    """Return a text as it fits into the report: of a table only how many lines it has."""
    if "\n" in text:
        return f"table of {len(text.splitlines())} lines"
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."


def report_pages(changed: list[str]) -> None:
    """Print which pages were written."""
    screen().print(
        f"pages written: {', '.join(changed) or 'none, all were up to date'}"
    )
