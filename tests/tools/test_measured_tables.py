"""Every table of measured numbers on a page, and every share in a sentence of a guide, is made by a command.

What is not is listed here with the reason.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from tools.numbers.pages import MARKED, ROOT

MEASURED = re.compile(
    r"""
    \d[ ]?(?:%|percent\b)                   # a share
    | \d[ ]?(?:ms|s|MB|GB)\b                # a time, or memory
    | ±[ ]?\d+\.\d                          # half of an interval
    | (?<![\d.])\d{2,3}\.\d{1,2}(?![\d.])   # an accuracy in percent
    | \.\d{3,}                              # a cosine
    """,
    re.VERBOSE,
)
"""How a measured number looks in a row."""

UNIT = re.compile(r"%|\b(?:percent|ms|seconds|MB|GB)\b")
"""How the heading of a column of measured numbers says its unit."""

CODE = re.compile(r"`[^`]*`")

FACTS = {
    ("docs/studies/search.md", "| n, K | found | table | initialization |"): (
        "codes that were found once and beat a table of others; later searches do not change that"
    ),
    ("docs/data.md", "| name | network | number of parameters |"): (
        "numbers of parameters, which follow from the networks and are tested with them"
    ),
    ("docs/install.md", "| `pip install 'protosphere[...]'` | for |"): (
        "sizes of other projects' packages"
    ),
    ("docs/reproduction.md", "| budget | mnist | cifar100 |"): (
        "what the budgets consist of, and about how long a run takes"
    ),
    ("docs/studies/claims.md", "| claim | where |"): (
        "a command writes the whole page, and a test compares it with the runs"
    ),
    ("docs/studies/claims.md", "| statistic | explained |"): (
        "a command writes the whole page, and a test compares it with the runs"
    ),
    ("docs/studies/claims-geometry.md", "| claim | where |"): (
        "each row names the test that measures it"
    ),
    ("docs/studies/slips.md", "| no. | the paper |"): (
        "what the paper prints, and what follows from its own formulas"
    ),
    ("docs/studies/slips.md", "| n | log-sum-exp, 0.2 |"): (
        "the paper's descents at its learning rates, which the tests of its geometry run"
    ),
}
"""Tables without a maker, by page and the beginning of the heading, each with the reason."""


SHARE = re.compile(r"(?<![\d.])\d+(?:\.\d+)?[ ]?%")
"""A share in a sentence."""

LEVELS = {"95%", "95 %"}
"""Levels of intervals and of acceptance, which are chosen and not measured."""

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class Table(NamedTuple):
    """A Markdown table: the line it begins on, its heading and the rows after it."""

    line: int
    heading: str
    rows: tuple[str, ...]

    @property
    def is_measured(self) -> bool:
        has_unit = UNIT.search(CODE.sub("", self.heading)) is not None
        return has_unit or any(MEASURED.search(CODE.sub("", row)) for row in self.rows)


def tables_of(content: str) -> list[Table]:
    """Return the tables of a page."""
    found: list[Table] = []
    lines = content.split("\n")
    begin = None
    for number, line in enumerate([*lines, ""]):
        if line.startswith("|"):
            begin = number if begin is None else begin
        elif begin is not None:
            found.append(
                Table(begin + 1, lines[begin], tuple(lines[begin + 1 : number]))
            )
            begin = None
    return found


def without_made_numbers(content: str) -> str:
    """Return a page without what makers write; lines keep their numbers."""
    return MARKED.sub(lambda found: "\n" * found[0].count("\n"), content)


def unmade_tables(content: str) -> list[Table]:
    """Return the tables that have measured numbers which no maker writes."""
    tables = tables_of(without_made_numbers(content))
    return [table for table in tables if table.is_measured]


def guarded_pages():
    folders = (ROOT / "docs", ROOT / "docs" / "studies")
    pages = [page for folder in folders for page in sorted(folder.glob("*.md"))]
    contents = {"README.md": (ROOT / "README.md").read_text(encoding="utf-8")}
    for page in pages:
        contents[page.relative_to(ROOT).as_posix()] = page.read_text(encoding="utf-8")
    return contents


PAGES = guarded_pages()


def reason_of(page: str, table: Table) -> str | None:
    for (known, heading), reason in FACTS.items():
        if page == known and table.heading.startswith(heading):
            return reason
    return None


def test_every_table_of_measured_numbers_has_a_maker():
    unmade = [
        f"{page}:{table.line}: {table.heading}"
        for page, content in PAGES.items()
        for table in unmade_tables(content)
        if reason_of(page, table) is None
    ]
    assert unmade == [], (
        "write a maker and put '<!-- number: NAME -->' before the table (tools/numbers)"
    )


def unmade_shares(content: str) -> list[str]:
    """Return the shares in sentences that no maker writes."""
    prose = CODE.sub("", FENCED.sub("", without_made_numbers(content)))
    lines = [line for line in prose.split("\n") if not line.startswith("|")]
    return [share for share in SHARE.findall("\n".join(lines)) if share not in LEVELS]


def test_every_share_in_a_sentence_of_a_guide_has_a_maker():
    unmade = [
        (page, share)
        for page, content in PAGES.items()
        if "/studies/" not in page
        for share in unmade_shares(content)
    ]
    assert unmade == []


def test_a_share_without_its_marker_is_noticed():
    made = "It has <!-- number: a.b -->97.6%<!-- /number --> with a 95% interval."
    assert unmade_shares(made) == []
    assert unmade_shares("It has 97.6% with a 95% interval.") == ["97.6%"]


@pytest.mark.parametrize(("page", "heading"), FACTS)
def test_every_listed_table_of_facts_still_needs_its_reason(page, heading):
    tables = unmade_tables(PAGES[page])
    assert any(table.heading.startswith(heading) for table in tables)


def marked_tables():
    return [
        pytest.param(content, found, id=f"{page}: {found['name']}")
        for page, content in PAGES.items()
        for found in MARKED.finditer(content)
        if found["text"].startswith("\n|")
    ]


@pytest.mark.parametrize(("content", "found"), marked_tables())
def test_a_table_without_its_marker_is_noticed(content, found):
    unmarked = content[: found.start()] + found["text"] + content[found.end() :]
    heading = found["text"].strip().split("\n")[0]
    assert heading in {table.heading for table in unmade_tables(unmarked)}


@pytest.mark.parametrize(
    ("row", "measured"),
    [
        ("| a | 90.2% |", True),
        ("| a | 90 % |", True),
        ("| a | 7.82 ms |", True),
        ("| a | 3 s |", True),
        ("| a | n = 8: 85.6 |", True),
        ("| a | +3.5 ± 0.5 |", True),
        ("| a | 0.2432 |", True),
        ("| a | `0.2432` of `90 %` |", False),
        ("| a | section 4.2, rate 0.5 |", False),
        ("| a | ±1/√n words, 65,536 of them |", False),
        ("| a | <!-- number: x.y -->90.2%<!-- /number --> |", False),
    ],
)
def test_measured_numbers_are_told_from_other_numbers(row, measured):
    assert bool(unmade_tables(f"| name | value |\n|---|---|\n{row}\n")) == measured


def test_a_unit_in_the_heading_makes_a_column_measured():
    assert unmade_tables("| extra | adds MB |\n|---|---|\n| train | 15 |\n")
