"""Files a command writes: looked at before the work begins, and never left half written."""

import os
from collections.abc import Sequence
from pathlib import Path

from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.extras import require
from protosphere.plots.figure_files import UNDATED

FIGURE_ENDINGS = tuple(UNDATED)
WRITERS = dict.fromkeys(FIGURE_ENDINGS, "matplotlib") | {
    ".html": "plotly",
    ".parquet": "pyarrow",
}
"""Packages that write files of these endings, and that may be missing."""


def checked_output(
    path: Path | None, endings: Sequence[str], *, extras: bool = True
) -> Path | None:
    """`path` if a file of that name can be written there, asked before the work; without `extras` by ourselves."""
    if path is None:
        return None
    if path.suffix.lower() not in endings:
        raise InvalidArgumentError(
            f"the output file must end in {' or '.join(endings)}, got {brief(str(path))}"
        )
    if extras and path.suffix.lower() in WRITERS:
        require(WRITERS[path.suffix.lower()])
    checked_folder(path.parent)
    if path.is_dir():
        raise StorageError(f"cannot write '{path}': it is a folder")
    return path


def checked_folder(folder: Path) -> Path:
    """`folder` if it exists and files can be made in it."""
    if not folder.is_dir():
        raise StorageError(f"cannot write into '{folder}': there is no such folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"cannot write into '{folder}': permission denied")
    return folder
