"""Read CIFAR-10 and CIFAR-100 from their binary archives.

An archive is a tar file. It contains files that consist of one record per image, and a file with the names of the
classes. A record consists of one or two label bytes and 3,072 image bytes: all red values, then all green and all blue
values.

A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.
"""

import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from protosphere.data.dataset import Dataset, Images
from protosphere.data.registry import dataset, remote_files
from protosphere.errors import StorageError
from protosphere.storage.files import reading
from protosphere.storage.npz import unpacked
from protosphere.types import Indices

CIFAR_URL = "https://www.cs.toronto.edu/~kriz/"
IMAGE_SHAPE = (3, 32, 32)
IMAGE_BYTES = 3072
MAX_BYTES = 1 << 28
"""Largest total size in bytes of an archive's unpacked files. The files of the official archives have 184 MB."""


@dataclass(frozen=True)
class CifarLayout:
    """Layout of a CIFAR archive.

    Attributes:
        train: Names of the files in the archive with the records of training images.
        test: Names of the files in the archive with the records of test images.
        names: Name of the file in the archive with the names of the classes.
        num_classes: Number of classes.
        label_bytes: Number of label bytes at the beginning of a record. The last of them is the index of the class.
    """

    train: tuple[str, ...]
    test: tuple[str, ...]
    names: str
    num_classes: int
    label_bytes: int


LAYOUTS = {
    "cifar10": CifarLayout(
        train=tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
        test=("test_batch.bin",),
        names="batches.meta.txt",
        num_classes=10,
        label_bytes=1,
    ),
    "cifar100": CifarLayout(
        train=("train.bin",),
        test=("test.bin",),
        names="fine_label_names.txt",
        num_classes=100,
        label_bytes=2,
    ),
}


def read_cifar(path: Path, name: str) -> Dataset:
    """Read CIFAR-10 or CIFAR-100 from its binary archive.

    Args:
        path: Path of the archive.
        name: "cifar10" or "cifar100".

    Returns:
        The dataset.

    Raises:
        StorageError: If the archive is damaged or is not CIFAR.
    """
    layout = LAYOUTS[name]
    members = _wanted_contents(path, {*layout.train, *layout.test, layout.names})
    x_train, y_train = _records(path, layout, members, layout.train)
    x_test, y_test = _records(path, layout, members, layout.test)
    names = tuple(members[layout.names].decode("ascii", "replace").split())
    if len(names) != layout.num_classes:
        raise StorageError(
            f"cannot read '{path}': {layout.names} has {len(names)} names, want {layout.num_classes}"
        )
    return Dataset(name, x_train, y_train, x_test, y_test, names)


@dataset(
    "cifar10",
    10,
    files=remote_files(
        CIFAR_URL,
        {"cifar-10-binary.tar.gz": "md5:c32a1d4ab5d03f1284b67883e8d87530"},
    ),
    summary="60,000 color images of 32 x 32 pixels",
)
def read_cifar10(files: tuple[Path, ...]) -> Dataset:
    """Return the dataset CIFAR-10, read from its binary archive.

    Args:
        files: A tuple that contains only the path of the archive.
    """
    return read_cifar(files[0], "cifar10")


@dataset(
    "cifar100",
    100,
    files=remote_files(
        CIFAR_URL,
        {"cifar-100-binary.tar.gz": "md5:03b5dce01913d631647c71ecec9e9cb8"},
    ),
    summary="60,000 color images of 32 x 32 pixels",
)
def read_cifar100(files: tuple[Path, ...]) -> Dataset:
    """Return the dataset CIFAR-100, read from its binary archive.

    Args:
        files: A tuple that contains only the path of the archive.
    """
    return read_cifar(files[0], "cifar100")


def _wanted_contents(path: Path, wanted: set[str]) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    with reading(path, "truncated or not a tar archive"), unpacked(path) as content:
        with tarfile.open(fileobj=content, mode="r|") as archive:
            for member in archive:
                bytes_left = MAX_BYTES - sum(map(len, found.values()))
                base = _safe_name(path, member, bytes_left)
                if base not in wanted or not member.isfile():
                    continue
                file = archive.extractfile(member)
                if file is not None:
                    found[base] = file.read()
        # Read to the end, where a compressed file has its checksum.
        while content.read(1 << 20):
            pass
    missing = sorted(wanted - set(found))
    if missing:
        raise StorageError(
            f"cannot read '{path}': truncated or another archive, it has no {', '.join(missing)}"
        )
    return found


def _safe_name(path: Path, member: tarfile.TarInfo, most: int) -> str:
    place = PurePosixPath(member.name)
    is_outside = place.is_absolute() or ".." in place.parts
    is_link = member.issym() or member.islnk()
    if is_outside or is_link:
        raise StorageError(
            f"cannot read '{path}': its member '{member.name}' points outside the archive"
        )
    if member.size > most:
        raise StorageError(
            f"cannot read '{path}': its member '{member.name}' claims {member.size} bytes"
        )
    return place.name


def _records(
    path: Path, layout: CifarLayout, members: Mapping[str, bytes], files: Sequence[str]
) -> tuple[Images, Indices]:
    length = layout.label_bytes + IMAGE_BYTES
    for file in files:
        size = len(members[file])
        if size == 0 or size % length:
            raise StorageError(
                f"cannot read '{path}': wrong size of {file}, {size} bytes are not records of {length}"
            )
    parts = [np.frombuffer(members[file], np.uint8) for file in files]
    rows = np.concatenate(parts).reshape(-1, length)
    image_bytes = np.ascontiguousarray(rows[:, layout.label_bytes :])
    images = image_bytes.reshape(-1, *IMAGE_SHAPE)
    labels = rows[:, layout.label_bytes - 1].astype(np.int64)
    if labels.max() >= layout.num_classes:
        raise StorageError(
            f"cannot read '{path}': a label of {labels.max()}, want at most {layout.num_classes - 1}"
        )
    return images, labels
