"""Images as tensors: scikit-learn's digits, MNIST, Fashion-MNIST and CIFAR-100.

All datasets except the digits are read from $PROTOSPHERE_DATA/mnist, $PROTOSPHERE_DATA/fashion-mnist (or the folder of
Debian's package), and $PROTOSPHERE_DATA/cifar-100-binary.tar.gz.
"""

from __future__ import annotations

import gzip
import os
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

FOLDER = Path(os.environ.get("PROTOSPHERE_DATA", "data"))
DEBIAN = Path("/usr/share/datasets/fashion-mnist")


@dataclass(frozen=True, eq=False)
class Images:
    """Images and classes of a dataset.

    Images have the shape (N, channels, height, width). Over all training images, the pixels have mean 0 and standard
    deviation 1.
    """

    train: Tensor
    train_classes: Tensor
    test: Tensor
    test_classes: Tensor
    num_classes: int


def load(name: str) -> Images:
    """Return the images of the dataset with the given name: "digits", "mnist", "fashion" or "cifar100"."""
    return {
        "digits": _digits,
        "mnist": _mnist,
        "fashion": _fashion,
        "cifar100": _cifar100,
    }[name]()


def _digits() -> Images:
    return digit_halves(None)


def digit_halves(seed: int | None) -> Images:
    """Return the digits, half for training and half for testing.

    The images are split at random with the given seed. If the seed is None, the first half is for training.
    """
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    if seed is None:
        order = np.arange(len(images))
    else:
        order = np.random.default_rng(seed).permutation(len(images))
    images, classes, half = (
        images.reshape(-1, 1, 8, 8)[order],
        classes[order],
        len(images) // 2,
    )
    return _standardised(
        images[:half], classes[:half], images[half:], classes[half:], 10
    )


def _mnist() -> Images:
    return _idx_folder(FOLDER / "mnist")


def _fashion() -> Images:
    own = FOLDER / "fashion-mnist"
    return _idx_folder(own if own.exists() else DEBIAN)


def _idx_folder(folder: Path) -> Images:
    train, test = (
        _idx(folder / f"{part}-images-idx3-ubyte.gz")[:, None]
        for part in ("train", "t10k")
    )
    labels = (
        _idx(folder / f"{part}-labels-idx1-ubyte.gz") for part in ("train", "t10k")
    )
    train_classes, test_classes = labels
    return _standardised(train, train_classes, test, test_classes, 10)


def _idx(path: Path) -> np.ndarray:
    with gzip.open(path) as file:
        raw = file.read()
    ndim = raw[3]
    shape = np.frombuffer(raw, ">i4", ndim, 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * ndim).reshape(shape)


def _cifar100() -> Images:
    parts = {}
    with tarfile.open(FOLDER / "cifar-100-binary.tar.gz") as archive:
        for member in archive.getmembers():
            if member.name.endswith(".bin"):
                raw = np.frombuffer(
                    archive.extractfile(member).read(), np.uint8
                ).reshape(-1, 3074)
                parts[Path(member.name).stem] = (
                    raw[:, 2:].reshape(-1, 3, 32, 32),
                    raw[:, 1],
                )
    return _standardised(*parts["train"], *parts["test"], 100)


def _standardised(train, train_classes, test, test_classes, num_classes) -> Images:
    mean = float(train.mean())
    deviation = float(train.std())
    images = [
        torch.tensor((part.astype(np.float32) - mean) / deviation)
        for part in (train, test)
    ]
    classes = [
        torch.tensor(part.astype(np.int64)) for part in (train_classes, test_classes)
    ]
    return Images(images[0], classes[0], images[1], classes[1], num_classes)
