"""Join the template, the style, the scripts and the data of the atlas page into one HTML file.

The atlas page shows the best known codes and bounds for each number of classes K and each dimension n.
"""

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
"""File names of the scripts that only compute, and can run without a browser."""

VIEWS = ("chart.js", "card.js", "sphere.js", "heatmap.js", "main.js")
"""File names of the scripts that draw the page in a browser."""


def page_script(names: tuple[str, ...] = LOGIC + VIEWS) -> str:
    """Return the source of the scripts with the given names as one text, in the order of the names.

    Args:
        names: File names of the scripts. By default, these are all scripts of the atlas page.
    """
    return "\n".join(_asset(name) for name in names)


def page_html(data: dict[str, Any] | None = None) -> str:
    """Return the atlas page as one HTML document that loads nothing from a network.

    Args:
        data: Data of the page, a dictionary that the function `page_data` returned. If None, `page_data` is called. It
            returns the data of the installed package.
    """
    if data is None:
        data = page_data()
    content = json.dumps(data, separators=(",", ":")).encode()
    compressed = gzip.compress(content, 9, mtime=0)
    parts = {
        "/*STYLE*/": _asset("style.css"),
        "/*DATA*/": base64.b64encode(compressed).decode(),
        "/*SCRIPT*/": page_script(),
    }
    page = _asset("page.html")
    for mark, text in parts.items():
        page = page.replace(mark, text)
    return page


def write_page(path: str | Path, progress: Progress = ignore) -> Path:
    """Write the atlas page with the data of the installed package to a file, and return the path of the file.

    Args:
        path: File to write.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.
    """
    return replace_bytes(Path(path), page_html(page_data(progress)).encode())


def _asset(name: str) -> str:
    asset = files("protosphere.atlas_page") / "assets" / name
    return asset.read_text(encoding="utf-8")
