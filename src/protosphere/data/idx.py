"""IDX, the format of MNIST: two zero bytes, a type, the number of dimensions, the dimensions, the entries.

Y. LeCun, C. Cortes, C. Burges, The MNIST database of handwritten digits, 1998.
"""

import gzip
import math
import struct
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError
from protosphere.files import reading

UNSIGNED_BYTE = 0x08
GZIP_MAGIC = b"\x1f\x8b"
UNSUSPECTED_BYTES, LARGEST_RATIO = 1 << 26, 100
"""A header that promises more than the first and so many times the file is damaged, or meant to exhaust the machine."""


def read_idx(path: Path, ndim: int) -> NDArray[np.uint8]:
    """The unsigned bytes of an IDX file of `ndim` dimensions, gzip-compressed or not.

    StorageError names the file where it is truncated, longer than it says, or no such file.
    """
    with reading(path, "truncated or damaged"):
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP_MAGIC
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            return _entries(path, cast(IO[bytes], file), ndim)


def _entries(path: Path, file: IO[bytes], ndim: int) -> NDArray[np.uint8]:
    magic = file.read(4)
    expected = bytes((0, 0, UNSIGNED_BYTE, ndim))
    if magic != expected:
        raise StorageError(f"cannot read '{path}': want an IDX file that begins {expected.hex()}, got {magic.hex()}")
    header = file.read(4 * ndim)
    if len(header) < 4 * ndim:
        raise StorageError(f"cannot read '{path}': truncated in its header")
    shape: tuple[int, ...] = struct.unpack(f">{ndim}I", header)
    size = math.prod(shape)
    if not 0 < size <= max(UNSUSPECTED_BYTES, LARGEST_RATIO * path.stat().st_size):
        raise StorageError(f"cannot read '{path}': its header promises {'x'.join(map(str, shape))} entries")
    body = file.read(size + 1)
    if len(body) != size:
        found = f"only {len(body)}" if len(body) < size else "more"
        raise StorageError(f"cannot read '{path}': wrong size, its header promises {size} bytes and there are {found}")
    return np.frombuffer(body, dtype=np.uint8).reshape(shape)
