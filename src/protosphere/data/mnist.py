"""Read MNIST and Fashion-MNIST, each from four IDX files.

An IDX file consists of two zero bytes, a type byte, the number of dimensions, the size of each dimension, and the
entries. The files may be compressed by gzip.

Y. LeCun, C. Cortes, C. Burges, The MNIST database of handwritten digits, 1998. H. Xiao, K. Rasul, R. Vollgraf,
Fashion-MNIST, 2017.
"""

import math
import struct
from pathlib import Path
from typing import IO

import numpy as np

from protosphere.data.dataset import Dataset, Images
from protosphere.data.registry import dataset, remote_files
from protosphere.errors import StorageError
from protosphere.storage.files import reading
from protosphere.storage.npz import LARGEST_RATIO, UNSUSPECTED_BYTES, unpacked

MNIST_URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"
"""URL of a mirror of the files of MNIST, which PyTorch also uses."""
FASHION_URL = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"

MNIST_DIGESTS = {
    "train-images-idx3-ubyte.gz": "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte.gz": "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte.gz": "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte.gz": "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}
FASHION_DIGESTS = {
    "train-images-idx3-ubyte.gz": "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte.gz": "md5:25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte.gz": "md5:bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte.gz": "md5:bb300cfdad3c16e7a12a480ee83cd310",
}
FASHION_NAMES = (
    "T-shirt",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
)
DEBIAN_FOLDER = "/usr/share/datasets/fashion-mnist"
"""Folder in which the Debian package dataset-fashion-mnist installs its files."""

UNSIGNED_BYTE = 0x08


@dataset(
    "mnist",
    10,
    files=remote_files(MNIST_URL, MNIST_DIGESTS),
    summary="70,000 handwritten digits of 28 x 28 pixels",
)
def read_mnist(files: tuple[Path, ...]) -> Dataset:
    """Return the dataset MNIST, read from its four files in the IDX format.

    Args:
        files: Four paths: of the training images, the training labels, the test images and the test labels.
    """
    return _of_idx("mnist", files, tuple(map(str, range(10))))


@dataset(
    "fashion_mnist",
    10,
    files=remote_files(FASHION_URL, FASHION_DIGESTS),
    system_folder=DEBIAN_FOLDER,
    summary="70,000 pieces of clothing of 28 x 28 pixels",
)
def read_fashion_mnist(files: tuple[Path, ...]) -> Dataset:
    """Return the dataset Fashion-MNIST, read from its four files in the IDX format.

    Args:
        files: Four paths: of the training images, the training labels, the test images and the test labels.
    """
    return _of_idx("fashion_mnist", files, FASHION_NAMES)


def _of_idx(
    name: str, files: tuple[Path, ...], class_names: tuple[str, ...]
) -> Dataset:
    train_images, train_labels, test_images, test_labels = files
    return Dataset(
        name=name,
        x_train=read_idx(train_images, 3)[:, None],
        y_train=read_idx(train_labels, 1).astype("int64"),
        x_test=read_idx(test_images, 3)[:, None],
        y_test=read_idx(test_labels, 1).astype("int64"),
        class_names=class_names,
    )


def read_idx(path: Path, ndim: int) -> Images:
    """Return the array of unsigned bytes in an IDX file, which may be compressed by gzip.

    An IDX file has a header with the number of dimensions and the size of each dimension, followed by the entries.

    Args:
        path: Path of the file.
        ndim: Number of dimensions that the array must have.

    Returns:
        The array, of the shape that the header of the file states.

    Raises:
        StorageError: If the file is damaged or is not an IDX file of bytes with `ndim` dimensions.
    """
    with reading(path, "truncated or damaged"), unpacked(path) as file:
        return _entries(path, file, ndim)


def _entries(path: Path, file: IO[bytes], ndim: int) -> Images:
    magic = file.read(4)
    expected = bytes((0, 0, UNSIGNED_BYTE, ndim))
    if magic != expected:
        raise StorageError(
            f"cannot read '{path}': want an IDX file that begins {expected.hex()}, got {magic.hex()}"
        )
    header = file.read(4 * ndim)
    if len(header) < 4 * ndim:
        raise StorageError(f"cannot read '{path}': truncated in its header")
    shape: tuple[int, ...] = struct.unpack(f">{ndim}I", header)
    size = math.prod(shape)
    if not 0 < size <= max(UNSUSPECTED_BYTES, LARGEST_RATIO * path.stat().st_size):
        raise StorageError(
            f"cannot read '{path}': its header promises {'x'.join(map(str, shape))} entries"
        )
    body = file.read(size + 1)
    if len(body) != size:
        found = f"only {len(body)}" if len(body) < size else "more"
        raise StorageError(
            f"cannot read '{path}': wrong size, its header promises {size} bytes and there are {found}"
        )
    return np.frombuffer(body, dtype=np.uint8).reshape(shape)
