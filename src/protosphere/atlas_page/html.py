"""The atlas page put together: its skeleton, style and scripts, and the data it carries, in one file."""

import base64
import gzip
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from protosphere.atlas_page.page_data import page_data
from protosphere.storage.files import replace_bytes
from protosphere.types import Progress, ignore

LOGIC = ("bounds.js", "rule.js", "chains.js", "cosines.js", "words.js")
"""Scripts that know mathematics and nothing of a page."""

VIEWS = ("chart.js", "card.js", "sphere.js", "heatmap.js", "main.js")
"""Scripts that draw."""


def page_script(names: tuple[str, ...] = LOGIC + VIEWS) -> str:
    """The scripts, one after the other."""
    return "\n".join(_asset(name) for name in names)


def page_html(data: dict[str, Any] | None = None) -> str:
    """The page: one document that fetches nothing. `data` is what the package knows now, unless given."""
    content = json.dumps(
        page_data() if data is None else data, separators=(",", ":")
    ).encode()
    carried = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    parts = {
        "/*STYLE*/": _asset("style.css"),
        "/*DATA*/": carried,
        "/*SCRIPT*/": page_script(),
    }
    page = _asset("page.html")
    for mark, text in parts.items():
        page = page.replace(mark, text)
    return page


def write_page(path: str | Path, progress: Progress = ignore) -> Path:
    """Write the page of what the package knows now to a file, which is replaced as a whole."""
    return replace_bytes(Path(path), page_html(page_data(progress)).encode())


def _asset(name: str) -> str:
    return (files("protosphere.atlas_page") / "assets" / name).read_text(
        encoding="utf-8"
    )
