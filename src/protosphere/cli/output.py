"""Check that the output files of a command can be written, before the command begins its work."""

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
"""Mapping from the ending of a file to the name of the optional package that writes such files."""


def checked_output(
    path: Path | None, endings: Sequence[str], *, extras: bool = True
) -> Path | None:
    """Return `path` after checking that a file can be written there. If `path` is None, return None.

    Args:
        path: File to write, or None.
        endings: Allowed endings of the name.
        extras: Whether to check that the optional package that writes files with this ending is installed.

    Raises:
        InvalidArgumentError: If the name of the file has an ending that is not allowed.
        MissingExtraError: If the package that writes such files is not installed.
        StorageError: If the folder of the file does not exist or is not writable, or if `path` is a folder.
    """
    if path is None:
        return None
    ending = path.suffix.lower()
    if ending not in endings:
        raise InvalidArgumentError(
            f"the output file must end in {' or '.join(endings)}, got {brief(str(path))}"
        )
    if extras and ending in WRITERS:
        require(WRITERS[ending])
    checked_folder(path.parent)
    if path.is_dir():
        raise StorageError(f"cannot write '{path}': it is a folder")
    return path


def checked_folder(folder: Path) -> Path:
    """Return `folder` after checking that it is an existing folder in which files can be written.

    Raises:
        StorageError: If the folder does not exist or is not writable.
    """
    if not folder.is_dir():
        raise StorageError(f"cannot write into '{folder}': there is no such folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"cannot write into '{folder}': permission denied")
    return folder
