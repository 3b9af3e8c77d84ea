"""The README: what its table measures stands on the pages it links to, and no link of it is dead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w.])(?:\d[\d,]*(?:[./]\d+)?|\.\d+)(?![\w])")


def numbers(text):
    """Those in a text, however they are written: 0.5 or .5, 1,000 or 1000."""
    return {
        found.replace(",", "") for found in NUMBER.findall(re.sub(r"\b0\.", ".", text))
    }


def rows():
    table = README.split("| I want to ...")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def test_the_table_comes_before_everything_but_a_sentence_and_a_picture():
    before = README.split("| I want to ...")[0]
    assert "```" not in before
    assert "## " not in before
    assert len(re.findall(r"!\[", before)) == 1


@pytest.mark.parametrize(
    ("task", "call", "measured"), rows(), ids=lambda cell: cell[:40]
)
def test_what_is_measured_stands_on_the_page(task, call, measured):
    page = re.search(r"\((docs/[\w-]+\.md)\)", task)[1]
    told = numbers((ROOT / page).read_text(encoding="utf-8")) | numbers(
        README.split("## What you get")[1]
    )
    assert numbers(measured) - told == set()
    assert call.count("`") == 2


def test_no_link_is_dead():
    for target in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", README):
        assert (ROOT / target).exists(), target
