"""Figures and their tables on disk: written beside their place and renamed into it, never half of one."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from protosphere.errors import InvalidArgumentError
from protosphere.files import make_folder, replace_file
from protosphere.plots.style import styled

UNDATED: Mapping[str, Mapping[str, None]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
}
"""The kinds of file we write, and what is left out of each so that the same figure gives the same bytes."""


def save_figure(figure: Any, path: str | Path) -> Path:
    """Write a matplotlib figure as the .png, .pdf or .svg that `path` ends in."""
    target = figure_path(path)
    suffix = target.suffix.lower()

    def write(beside: Path) -> None:
        with styled():
            figure.savefig(beside, format=suffix[1:], metadata=dict(UNDATED[suffix]))

    return _into_folder(target, write)


def figure_path(path: str | Path) -> Path:
    """`path` if we can write a figure of that name; to be asked before the work, not after it."""
    target = Path(path)
    if target.suffix.lower() not in UNDATED:
        raise InvalidArgumentError(f"a figure's name must end in one of {', '.join(UNDATED)}, got '{target.name}'")
    return target


def save_table(records: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Write tidy rows as CSV; floats in full, None as nothing."""

    def write(beside: Path) -> None:
        with beside.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(records[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(records)

    return _into_folder(Path(path), write)


def _into_folder(target: Path, write: Callable[[Path], None]) -> Path:
    """Write `target`, making its folder if there is none."""
    make_folder(target.parent)
    return replace_file(target, write)
