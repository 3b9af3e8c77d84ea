"""Files a command writes: looked at before the work begins, and never left half written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.extras import require
from protosphere.files import replace_file
from protosphere.plots.files import UNDATED
from protosphere.types import Progress

CODE_ENDINGS = (".safetensors", ".npy", ".csv")
FIGURE_ENDINGS = tuple(UNDATED)
WRITERS = dict.fromkeys(FIGURE_ENDINGS, "matplotlib") | {".html": "plotly", ".parquet": "pyarrow"}
"""Packages that write files of these endings, and that may be missing."""

BLOCK_ENTRIES = 1 << 20


def checked_output(path: Path | None, endings: Sequence[str]) -> Path | None:
    """`path` if a file of that name can be written there; asked first, so that no work is lost."""
    if path is None:
        return None
    if path.suffix not in endings:
        raise InvalidArgumentError(f"the output file must end in {' or '.join(endings)}, got {brief(str(path))}")
    if path.suffix in WRITERS:
        require(WRITERS[path.suffix])
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


def write_code(code: SphericalCode, path: Path, progress: Progress) -> None:
    """Our own file with certificate and provenance, or only the float64 rows as .npy or .csv."""
    if path.suffix == ".safetensors":
        code.save(path)
        return
    write = _write_npy if path.suffix == ".npy" else _write_csv
    replace_file(path, lambda beside: write(code, beside, progress))


def _write_npy(code: SphericalCode, path: Path, progress: Progress) -> None:
    header = {"descr": "<f8", "fortran_order": False, "shape": (code.num_classes, code.dim)}
    with path.open("wb") as file:
        np.lib.format.write_array_header_2_0(file, header)
        for start, stop in _blocks(code, progress):
            file.write(code.rows(start, stop).astype("<f8").tobytes())


def _write_csv(code: SphericalCode, path: Path, progress: Progress) -> None:
    with path.open("w", encoding="ascii") as file:
        for start, stop in _blocks(code, progress):
            np.savetxt(file, code.rows(start, stop), fmt="%.17g", delimiter=",")


def _blocks(code: SphericalCode, progress: Progress) -> Iterator[tuple[int, int]]:
    K, step = code.num_classes, max(1, BLOCK_ENTRIES // code.dim)
    for start in range(0, K, step):
        stop = min(K, start + step)
        yield start, stop
        progress("writing", stop, K)
