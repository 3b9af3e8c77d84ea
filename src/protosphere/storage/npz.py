"""Read compressed files safely: a StorageError is raised if a file would expand to far too much data.

The limit is 64 MiB or 100 times the size of the file, whichever is larger. An .npz file is a zip file of numpy arrays.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError

UNSUSPECTED_BYTES = 1 << 26
LARGEST_RATIO = 100
"""Largest allowed ratio of unpacked to packed size, if a file unpacks to more than `UNSUSPECTED_BYTES` bytes.

The ratio of real data is smaller.
"""

GZIP_MAGIC = b"\x1f\x8b"
"""First bytes of a file that gzip wrote."""

DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
    TokenError,
)
"""Exceptions that numpy and zipfile raise for files that are damaged or maliciously made."""


class _BoundedReader(io.RawIOBase):
    def __init__(self, file: IO[bytes], path: Path, most_bytes: int) -> None:
        super().__init__()
        self._file = file
        self._path = path
        self._most_bytes = most_bytes
        self._left = most_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        content = self._file.read(len(buffer))
        self._left -= len(content)
        if self._left < 0:
            raise StorageError(
                f"cannot read '{self._path}': {_expansion_message(self._most_bytes, self._path)}"
            )
        buffer[: len(content)] = content
        return len(content)


def _expansion_message(size_bytes: int, path: Path) -> str:
    size = f"at least {size_bytes / 2**20:,.0f} MiB out of {path.stat().st_size / 2**20:.1f} MiB"
    return f"it would unpack to {size}; real data is not packed so tightly"


@contextmanager
def unpacked(path: Path) -> Generator[IO[bytes]]:
    """Return a context manager that opens a file for reading bytes.

    If the file is a gzip file, it is decompressed while it is read.

    Args:
        path: File to open.

    Raises:
        StorageError: If a gzip file expands to more than 64 MiB, and this is also more than 100 times its own size. The
            error is raised during reading, as soon as both limits are exceeded.
    """
    with path.open("rb") as raw:
        packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        if not packed:
            yield raw
            return
        most_bytes = max(UNSUSPECTED_BYTES, LARGEST_RATIO * path.stat().st_size)
        with gzip.GzipFile(fileobj=raw, mode="rb") as content:
            yield io.BufferedReader(_BoundedReader(content, path, most_bytes))  # pyright: ignore[reportArgumentType, reportReturnType]


def refuse_tightly_packed(path: Path) -> None:
    """Raise a StorageError if the content of a zip file would unpack to more bytes than a limit.

    The limit is 64 MiB or 100 times the size of the file, whichever is larger.

    Args:
        path: Path of the zip file.
    """
    with zipfile.ZipFile(path) as archive:
        total = sum(entry.file_size for entry in archive.infolist())
    if total > max(UNSUSPECTED_BYTES, LARGEST_RATIO * path.stat().st_size):
        raise StorageError(f"cannot read '{path}': {_expansion_message(total, path)}")


def read_arrays(
    path: Path, wanted: Collection[str], needed: Collection[str] = ()
) -> Mapping[str, NDArray[Any]]:
    """Return some of the arrays of an .npz file, by name.

    Args:
        path: Path of the .npz file.
        wanted: Names of the arrays to read.
        needed: Names of those arrays that must be in the file.

    Returns:
        A mapping from names to arrays. It has those names in `wanted` for which the file has an array.

    Raises:
        StorageError: If a needed array is missing, the file cannot be read, or the arrays would unpack to more than 64
            MiB, and this is also more than 100 times their packed size.
    """
    with _opened_npz(path) as archive:
        present: list[str] = archive.files
        missing = [name for name in needed if name not in present]
        if missing:
            raise StorageError(
                f"cannot read '{path}': it has no {', '.join(missing)}; want {', '.join(needed)}"
            )
        found = [name for name in wanted if name in present]
        _check_sizes(path, archive, found)
        return {name: archive[name] for name in found}


def array_shape(path: Path, name: str) -> tuple[int, ...]:
    """Return the shape of an array in an .npz file without reading its entries.

    Args:
        path: Path of the .npz file.
        name: Name of the array.

    Raises:
        StorageError: If the file has no such array, or cannot be read.
    """
    with _opened_npz(path) as archive:
        return _shape_and_sizes(path, archive, name)[0]


@contextmanager
def _opened_npz(path: Path) -> Generator[np.lib.npyio.NpzFile]:
    # errors of the caller's `with` block become StorageErrors, too
    try:
        with (
            path.open("rb") as raw,
            np.load(raw, allow_pickle=False) as archive,
        ):  # numpy leaves damaged files open
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise StorageError(
                    f"cannot read '{path}': one array, want an .npz file of several with names"
                )
            yield archive
    except StorageError:
        raise
    except FileNotFoundError as error:
        raise StorageError(f"cannot read '{path}': there is no such file") from error
    except MemoryError as error:
        raise StorageError(
            f"cannot read '{path}': it needs more memory than the machine has"
        ) from error
    except OSError as error:
        raise StorageError(
            f"cannot read '{path}': {error.strerror or error}"
        ) from error
    except DAMAGE as error:
        raise StorageError(
            f"cannot read '{path}': truncated or not an .npz file of plain numbers"
        ) from error


def _shape_and_sizes(
    path: Path, archive: np.lib.npyio.NpzFile, name: str
) -> tuple[tuple[int, ...], int, int]:
    assert archive.zip is not None, "an open file has its archive"
    entry = archive.zip.getinfo(f"{name}.npy")
    most_bytes = max(UNSUSPECTED_BYTES, LARGEST_RATIO * entry.compress_size)
    if entry.file_size > most_bytes:  # its header may be all of that
        size = f"{entry.file_size / 2**30:.1f} GiB out of {entry.compress_size / 2**20:.1f} MiB"
        raise StorageError(
            f"cannot read '{path}': {name} would unpack to {size}; real data is not packed so tightly"
        )
    with archive.zip.open(f"{name}.npy") as member:
        version = np.lib.format.read_magic(member)
        if version == (1, 0):
            read = np.lib.format.read_array_header_1_0
        else:
            read = np.lib.format.read_array_header_2_0
        shape, _, dtype = read(member)
    if not all(isinstance(size, int) and size >= 0 for size in shape):  # pyright: ignore[reportUnnecessaryIsInstance] - as the file says
        raise ValueError(f"{name} has an impossible shape")
    # the last two numbers are the size and the packed size in bytes
    return shape, prod(shape) * dtype.itemsize, entry.compress_size


def _check_sizes(
    path: Path, archive: np.lib.npyio.NpzFile, names: Collection[str]
) -> None:
    sizes = {name: _shape_and_sizes(path, archive, name)[1:] for name in names}
    total = sum(size for size, _ in sizes.values())
    packed = sum(packed for _, packed in sizes.values())
    if total > UNSUSPECTED_BYTES and total > LARGEST_RATIO * packed:
        name = max(sizes, key=lambda name: sizes[name][0])
        size = f"{total / 2**30:.1f} GiB out of {packed / 2**20:.1f} MiB"
        raise StorageError(
            f"cannot read '{path}': {name} would unpack to {size}; real data is not packed so tightly"
        )
