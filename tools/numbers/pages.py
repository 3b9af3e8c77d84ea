"""Numbers on pages: the text between `<!-- number: NAME -->` and `<!-- /number -->` is written from records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from protosphere.errors import InvalidArgumentError
from protosphere.storage.files import replace_bytes
from tools.numbers.run import ROOT

MARKED = re.compile(
    r"<!-- number: (?P<name>[\w.-]+) -->(?P<text>.*?)<!-- /number -->", re.S
)


class Shown(NamedTuple):
    """A number on a page: path of the page, full name of the number, and the text between its comments."""

    page: str
    name: str
    text: str


def pages() -> list[Path]:
    """Return the paths of the README and of every page in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def relative(page: Path) -> str:
    """Return the path of a page relative to the folder of the repository."""
    return page.relative_to(ROOT).as_posix()


def shown_numbers() -> list[Shown]:
    """Return every number on every page."""
    return [
        Shown(relative(page), found["name"], found["text"])
        for page in pages()
        for found in MARKED.finditer(page.read_text(encoding="utf-8"))
    ]


def placed(text: str) -> str:
    """Return a text as it is written between its comments: a line break before and after a table."""
    return f"\n{text}\n" if text.startswith("|") else text


def rendered(content: str, texts: Mapping[str, str]) -> str:
    """Return the content of a page after the numbers whose names are in `texts` were written again.

    >>> rendered("<!-- number: a.b -->1<!-- /number --> %", {"a.b": "2"})
    '<!-- number: a.b -->2<!-- /number --> %'
    """

    def write(found: re.Match[str]) -> str:
        text = texts.get(found["name"])
        if text is None:
            return found[0]
        return f"<!-- number: {found['name']} -->{placed(text)}<!-- /number -->"

    return MARKED.sub(write, content)


def write_pages(texts: Mapping[str, str]) -> list[str]:
    """Write the numbers in `texts` on all pages, and return the paths of the pages that changed."""
    changed: list[str] = []
    for page in pages():
        content = page.read_text(encoding="utf-8")
        new = rendered(content, texts)
        if new != content:
            replace_bytes(page, new.encode())
            changed.append(relative(page))
    return changed


def check_names(names: set[str]) -> None:
    """Check that every number on a page has one of the given full names.

    Raises:
        InvalidArgumentError: If a page shows a number with another name.
    """
    for shown in shown_numbers():
        if shown.name not in names:
            nearest = ", ".join(get_close_matches(shown.name, names)) or "none"
            raise InvalidArgumentError(
                f"{shown.page}: no maker makes '{shown.name}'; nearest: {nearest}"
            )
