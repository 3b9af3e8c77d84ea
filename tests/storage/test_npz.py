"""Small files that unpack to gigabytes are refused in one sentence, before the memory is taken."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import tracemalloc
import zipfile

import numpy as np
import pytest

from protosphere.data.cifar import read_cifar
from protosphere.data.mnist import read_idx
from protosphere.errors import StorageError
from protosphere.experiments.checkpoint import CHECKPOINT_FILE, load_checkpoint
from protosphere.storage.npz import read_arrays
from protosphere.tables.atlas import AtlasRow, read_atlas
from protosphere.tables.table_files import column_names

MEGABYTE = 1 << 20
HEADER = ",".join(column_names(AtlasRow)) + "\n"
ROW = "10,4,0.5,,best,r,False,0.1,t,,,,,0,10,4\n"


def repeated(text, first=""):
    """A gzip file that unpacks to 512 MB of the text repeated: members of 16 MB, one after the other."""
    block = text.encode() * (16 * MEGABYTE // len(text))
    return gzip.compress(first.encode()) + gzip.compress(block, 9) * 32


def tar_with_a_long_name(size):
    header = tarfile.TarInfo("././@LongLink")
    header.type = tarfile.GNUTYPE_LONGNAME
    header.size = size
    return header.tobuf(tarfile.GNU_FORMAT).decode("latin-1")


def zipped(name, first):
    """A zip file of one deflated entry of 512 MB."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(name, "w") as entry,
    ):
        entry.write(first)
        for _ in range(32):
            entry.write(bytes(16 * MEGABYTE))
    return packed.getvalue()


NPY_WITH_A_LONG_HEADER = b"\x93NUMPY\x02\x00" + struct.pack("<I", 512 * MEGABYTE)

BOMBS = {
    "atlas of zeros": ("a.csv.gz", lambda: repeated("\0"), read_atlas),
    "atlas of empty cells": ("a.csv.gz", lambda: repeated(",", HEADER), read_atlas),
    "atlas of empty lines": ("a.csv.gz", lambda: repeated("\n", HEADER), read_atlas),
    "atlas of one row": ("a.csv.gz", lambda: repeated(ROW, HEADER), read_atlas),
    "atlas of cells over many lines": (
        "a.csv.gz",
        lambda: repeated('"\n",', HEADER),
        read_atlas,
    ),
    "images": (
        "i.gz",
        lambda: repeated("\0", "\0\0\x08\3" + "\0\0\x10\0" * 3),
        lambda path: read_idx(path, 3),
    ),
    "tar": (
        "c.tar.gz",
        lambda: repeated("\0"),
        lambda path: read_cifar(path, "cifar100"),
    ),
    "tar with a name of half a gigabyte": (
        "c.tar.gz",
        lambda: repeated("a", tar_with_a_long_name(512 * MEGABYTE)),
        lambda path: read_cifar(path, "cifar100"),
    ),
    "arrays": (
        "x.npz",
        lambda: zipped("x.npy", NPY_WITH_A_LONG_HEADER),
        lambda path: read_arrays(path, ["x"]),
    ),
    "checkpoint": (
        CHECKPOINT_FILE,
        lambda: zipped("data.pkl", b""),
        lambda path: load_checkpoint(path.parent, "", ""),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_file_packed_to_exhaust_the_memory_is_refused_within_some_megabytes(
    tmp_path, bomb
):
    name, content, read = BOMBS[bomb]
    path = tmp_path / name
    path.write_bytes(content())
    assert path.stat().st_size < 8 * MEGABYTE
    tracemalloc.start()
    try:
        with pytest.raises(StorageError, match=name):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 256 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_what_is_packed_honestly_is_read(tmp_path):
    rows = "".join(
        f"{K},4,0.5,,best,r,False,0.1,t,,,,,0,{K},4\n" for K in range(10, 5000)
    )
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((HEADER + rows).encode()))
    assert len(read_atlas(tmp_path / "a.csv.gz")) == 4990
    images = np.arange(60, dtype=np.uint8)
    (tmp_path / "i.gz").write_bytes(
        gzip.compress(struct.pack(">HBB3i", 0, 8, 3, 3, 4, 5) + images.tobytes())
    )
    assert read_idx(tmp_path / "i.gz", 3).ravel().tolist() == images.tolist()
