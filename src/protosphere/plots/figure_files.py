"""Writing of figures and their tables to disk, atomically."""

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
"""Endings of figure files, and the metadata to leave out so that the same figure gives the same bytes."""


def save_figure(figure: Any, path: str | Path) -> Path:
    """Write a matplotlib figure as .png, .pdf or .svg, by the ending of `path`; return the path.

    Args:
        figure: Figure to write.
        path: File to write; it must end in .png, .pdf or .svg.

    Raises:
        InvalidArgumentError: If the path has another ending.
    """
    target = figure_path(path)
    suffix = target.suffix.lower()

    def write(beside: Path) -> None:
        with styled():
            figure.savefig(beside, format=suffix[1:], metadata=dict(UNDATED[suffix]))

    make_folder(target.parent)
    return replace_file(target, write)


def figure_path(path: str | Path) -> Path:
    """Return `path` as a Path after checking its ending; call this before drawing.

    Raises:
        InvalidArgumentError: If the path does not end in .png, .pdf or .svg.
    """
    target = Path(path)
    if target.suffix.lower() not in UNDATED:
        raise InvalidArgumentError(
            f"a figure's name must end in one of {', '.join(UNDATED)}, got '{target.name}'"
        )
    return target


def save_table(records: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Write rows as CSV, with floats in full precision and None as an empty cell; return the path.

    Args:
        records: Rows as mappings with the same keys.
        path: File to write.
    """
    target = Path(path)
    make_folder(target.parent)
    return write_csv(target, list(records[0]), records)
