"""Writing figures and their tables to disk atomically."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from protosphere.errors import InvalidArgumentError
from protosphere.plots.style import styled
from protosphere.storage.csv_files import write_csv
from protosphere.storage.files import make_folder, replace_file

UNDATED: Mapping[str, Mapping[str, None]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
}
"""The kinds of file we write, and what is left out of each so that the same figure gives the same bytes."""


def save_figure(figure: Any, path: str | Path) -> Path:
    """Write a matplotlib figure as .png, .pdf or .svg, by the ending of `path`."""
    target = figure_path(path)
    suffix = target.suffix.lower()

    def write(beside: Path) -> None:
        with styled():
            figure.savefig(beside, format=suffix[1:], metadata=dict(UNDATED[suffix]))

    make_folder(target.parent)
    return replace_file(target, write)


def figure_path(path: str | Path) -> Path:
    """Return `path` if a figure of that name can be written; call it before the work begins."""
    target = Path(path)
    if target.suffix.lower() not in UNDATED:
        raise InvalidArgumentError(
            f"a figure's name must end in one of {', '.join(UNDATED)}, got '{target.name}'"
        )
    return target


def save_table(records: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Write tidy rows as CSV, with floats in full precision and None as an empty cell."""
    target = Path(path)
    make_folder(target.parent)
    return write_csv(target, list(records[0]), records)
