"""Labelled images as the rest of the house sees them: uint8, channels first, with names for the classes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError
from protosphere.types import Indices

Images = NDArray[np.uint8]
"""N x channels x height x width."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Images to learn from and images to be judged by. Immutable: the arrays are read-only.

    Attributes:
        name: what it is called, or the path of a file of the user's.
        x_train, y_train: images and the numbers of their classes.
        x_test, y_test: the same, never trained on.
        class_names: one name a class.
    """

    name: str
    x_train: Images = field(repr=False)
    y_train: Indices = field(repr=False)
    x_test: Images = field(repr=False)
    y_test: Indices = field(repr=False)
    class_names: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        for part, images, labels in (("train", self.x_train, self.y_train), ("test", self.x_test, self.y_test)):
            self._check(part, images, labels)
        for array in (self.x_train, self.y_train, self.x_test, self.y_test):
            array.flags.writeable = False

    def _check(self, part: str, images: Images, labels: Indices) -> None:
        if len(images) != len(labels) or not len(images):
            raise StorageError(f"'{self.name}' has {len(images)} {part} images and {len(labels)} labels; want as many")
        if labels.min() < 0 or labels.max() >= self.num_classes:
            found = f"{int(labels.min())} to {int(labels.max())}"
            raise StorageError(f"'{self.name}' has {part} labels from {found}; want 0 to {self.num_classes - 1}")
        if images.shape[1:] != self.x_train.shape[1:]:
            raise StorageError(
                f"'{self.name}' has train images of {self.image_shape}, test images of {images.shape[1:]}"
            )

    @property
    def num_classes(self) -> int:
        """K."""
        return len(self.class_names)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Channels, height, width."""
        channels, height, width = self.x_train.shape[1:]
        return channels, height, width

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every image and label: two sets of the same name need not be the same."""
        sha = hashlib.sha256()
        for array in (self.x_train, self.y_train, self.x_test, self.y_test):
            sha.update(f"{array.dtype.str}{array.shape}".encode())
            sha.update(np.ascontiguousarray(array).data)
        return sha.hexdigest()


def numbered_names(count: int) -> tuple[str, ...]:
    """Names for classes that have none: 0, 1, 2, ..."""
    return tuple(str(number) for number in range(count))
