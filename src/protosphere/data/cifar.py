"""The *binary* archives of CIFAR-10 and CIFAR-100, read straight from the tar: nothing is unpacked, nothing unpickled.

A record is one or two label bytes and 3,072 bytes of image, first all of red, then green, then blue.
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
MOST_BYTES = 1 << 28
"""The official archives hold 184 MB; of more than this nothing is read."""


@dataclass(frozen=True)
class CifarLayout:
    """Which members of the archive hold records, and names of classes; the last of the label bytes is the label."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    names: str
    num_classes: int
    label_bytes: int


LAYOUTS = {
    "cifar10": CifarLayout(
        tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
        ("test_batch.bin",),
        "batches.meta.txt",
        10,
        1,
    ),
    "cifar100": CifarLayout(
        ("train.bin",), ("test.bin",), "fine_label_names.txt", 100, 2
    ),
}


def read_cifar(path: Path, name: str) -> Dataset:
    """The dataset `name`, cifar10 or cifar100, in the archive at `path`; StorageError names one that is not it."""
    layout = LAYOUTS[name]
    members = _members(path, {*layout.train, *layout.test, layout.names})
    x_train, y_train = _records(path, layout, members, layout.train)
    x_test, y_test = _records(path, layout, members, layout.test)
    names = tuple(members[layout.names].decode("ascii", "replace").split())
    if len(names) != layout.num_classes:
        raise StorageError(
            f"cannot read '{path}': {layout.names} has {len(names)} names, want {layout.num_classes}"
        )
    return Dataset(name, x_train, y_train, x_test, y_test, names)


for _name, _archive, _digest in (
    ("cifar10", "cifar-10-binary.tar.gz", "md5:c32a1d4ab5d03f1284b67883e8d87530"),
    ("cifar100", "cifar-100-binary.tar.gz", "md5:03b5dce01913d631647c71ecec9e9cb8"),
):
    _files = remote_files(CIFAR_URL, {_archive: _digest})
    _summary = "60,000 colour images of 32 x 32 pixels"
    _register = dataset(
        _name, LAYOUTS[_name].num_classes, files=_files, summary=_summary
    )
    _register(lambda files, name=_name: read_cifar(files[0], name))


def _members(path: Path, wanted: set[str]) -> Mapping[str, bytes]:
    """The content of the wanted members; every member is looked at, and one that would leave its folder refused."""
    found: dict[str, bytes] = {}
    with reading(path, "truncated or not a tar archive"), unpacked(path) as content:
        with tarfile.open(fileobj=content, mode="r|") as archive:
            for member in archive:
                base = _safe_name(
                    path, member, MOST_BYTES - sum(map(len, found.values()))
                )
                if base in wanted and member.isfile():
                    file = archive.extractfile(member)
                else:
                    file = None
                if file is not None:
                    found[base] = file.read()
        while content.read(
            1 << 20
        ):  # to the end, where a compressed one has its checksum
            pass
    missing = sorted(wanted - set(found))
    if missing:
        raise StorageError(
            f"cannot read '{path}': truncated or another archive, it has no {', '.join(missing)}"
        )
    return found


def _safe_name(path: Path, member: tarfile.TarInfo, most: int) -> str:
    place = PurePosixPath(member.name)
    if place.is_absolute() or ".." in place.parts or member.issym() or member.islnk():
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
    rows = np.concatenate(
        [np.frombuffer(members[file], np.uint8).reshape(-1, length) for file in files]
    )
    images = np.ascontiguousarray(rows[:, layout.label_bytes :]).reshape(
        -1, *IMAGE_SHAPE
    )
    labels = rows[:, layout.label_bytes - 1].astype(np.int64)
    if labels.max() >= layout.num_classes:
        raise StorageError(
            f"cannot read '{path}': a label of {labels.max()}, want at most {layout.num_classes - 1}"
        )
    return images, labels
