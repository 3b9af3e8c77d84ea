"""Write figures and their tables to files, each of which is replaced atomically."""

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
"""Metadata that are left out of a figure file, by its ending. Without them, the same figure gives the same bytes."""


def save_figure(figure: Any, path: str | Path) -> Path:
    """Write a matplotlib figure to a .png, .pdf or .svg file, and return the path of the file.

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
    """Return the path of a figure file after checking its ending.

    Call this function before drawing, so that a wrong ending is reported at once.

    Args:
        path: File to write; it must end in .png, .pdf or .svg.

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
    """Write rows to a CSV file, and return the path of the file.

    Floats are written in full precision, and None becomes an empty cell.

    Args:
        records: Rows, as mappings from column names to values. There is at least one row, and all rows have the same
            columns.
        path: File to write.
    """
    target = Path(path)
    make_folder(target.parent)
    return write_csv(target, list(records[0]), records)
