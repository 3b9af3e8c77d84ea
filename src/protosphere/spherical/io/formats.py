"""Read and write points in the formats of other programs: .npy, .csv, .txt and .pt.

Such a file contains one prototype per row and no certificate.

A malicious .npy or .pt file could state a huge shape in its header. Therefore the stated shape is compared with the
size of the file before memory is allocated.
"""

import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError, brief
from protosphere.spherical.placement import Placement
from protosphere.types import Points, Progress

BLOCK_ENTRIES = 1 << 20


def read_points(path: Path) -> Any:
    """Return the array that a file contains, as a torch tensor for a .pt file and as a numpy array otherwise.

    Numbers in .csv and .txt files become float64. Numbers in .npy and .pt files keep their type.

    Args:
        path: A .npy, .csv, .txt or .pt file.

    Raises:
        StorageError: If the file does not exist, does not end in .npy, .csv, .txt or .pt, or cannot be read.
    """
    try:
        if not path.is_file():
            raise ValueError("a folder" if path.is_dir() else "there is no such file")
        if path.suffix.lower() not in READERS:
            raise ValueError(f"its name must end in one of {', '.join(READABLE)}")
        if path.stat().st_size == 0:
            raise ValueError("it is empty")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy warns of files without numbers
            return READERS[path.suffix.lower()](path)
    except Exception as error:  # parsers raise anything from TokenError to BadZipFile on a foreign file
        told = getattr(error, "strerror", None) or str(error)
        reason = next(iter(told.splitlines()), type(error).__name__).split(
            "; use `usecols`"
        )[0]  # numpy's own option
        raise StorageError(
            f"cannot read '{path}': {reason if reason.isprintable() else brief(reason)}"
        ) from error


def _write_npy(path: Path, placement: Placement, progress: Progress) -> None:
    header = {
        "descr": "<f8",
        "fortran_order": False,
        "shape": (placement.count, placement.dim),
    }
    with path.open("wb") as file:
        np.lib.format.write_array_header_2_0(file, header)
        for _, rows in _blocks(placement, progress):
            file.write(rows.astype("<f8").tobytes())


def _write_csv(path: Path, placement: Placement, progress: Progress) -> None:
    with path.open("w", encoding="ascii") as file:
        for _, rows in _blocks(placement, progress):
            np.savetxt(file, rows, fmt="%.17g", delimiter=",")


def _write_pt(path: Path, placement: Placement, progress: Progress) -> None:
    torch: Any = import_module("torch")
    rows = torch.empty(placement.count, placement.dim, dtype=torch.float64)
    for start, block in _blocks(placement, progress):
        rows[start : start + len(block)] = torch.from_numpy(block)
    with path.open("wb") as file:  # torch's own writer does not report a full disk
        torch.save(rows, file)


def _blocks(placement: Placement, progress: Progress) -> Iterator[tuple[int, Points]]:
    step = max(1, BLOCK_ENTRIES // placement.dim)
    for start in range(0, placement.count, step):
        stop = min(placement.count, start + step)
        yield start, placement.unit_rows(start, stop)
        progress("writing", stop, placement.count)


def _read_npy(path: Path) -> NDArray[Any]:
    # `np.load` raises ValueError for pickled objects, and for a file that is shorter than its header states
    with path.open("rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise ValueError("it is not a .npy file")
    return np.array(np.load(path, mmap_mode="r", allow_pickle=False))


def _read_pt(path: Path) -> Any:
    torch: Any = import_module("torch")
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > path.stat().st_size:
            raise ValueError("it is compressed, or not a file of torch.save")
    # with `weights_only`, no code in the file is executed
    tensor = torch.load(path, weights_only=True, map_location="cpu")
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
        raise ValueError(
            f"it holds no single dense tensor, but {type(tensor).__name__}"
        )
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise ValueError(
            f"it holds fewer numbers than its shape {tuple(tensor.shape)} says"
        )
    return tensor


WRITERS = {".npy": _write_npy, ".csv": _write_csv, ".pt": _write_pt}
READERS: dict[str, Callable[[Path], Any]] = {
    ".npy": _read_npy,
    ".csv": partial(np.loadtxt, delimiter=",", ndmin=2),
    ".txt": partial(np.loadtxt, ndmin=2),
    ".pt": _read_pt,
}
WRITABLE = (".safetensors", *WRITERS)
READABLE = (".safetensors", *READERS)
