"""Labeled examples: images as bytes, channels first, or feature vectors."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError
from protosphere.types import Indices

Images = NDArray[np.uint8]
"""N x channels x height x width."""

Features = NDArray[np.float32] | NDArray[np.int8]
"""N x D; bytes count in the dataset's `step`."""

Step = NDArray[np.float32]
"""What a byte of each column counts."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training and test examples. The arrays are read-only.

    Attributes:
        name: The name of the dataset, or the path of a file of the user.
        x_train: Training images or features.
        y_train: The classes of the training examples.
        x_test: Test images or features.
        y_test: The classes of the test examples.
        class_names: One name per class.
        step: For features stored as int8, the value of 1 in each column; else None.

    Raises:
        StorageError: If the numbers of examples, labels, shapes or types are inconsistent.

    Example:
        >>> from protosphere.data import load_dataset
        >>> load_dataset("digits").input_shape
        (1, 8, 8)
    """

    name: str
    x_train: Images | Features = field(repr=False)
    y_train: Indices = field(repr=False)
    x_test: Images | Features = field(repr=False)
    y_test: Indices = field(repr=False)
    class_names: tuple[str, ...] = field(repr=False)
    step: Step | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._check("train", self.x_train, self.y_train)
        self._check("test", self.x_test, self.y_test)
        for array in self._arrays():
            array.flags.writeable = False

    def _arrays(self) -> list[NDArray[Any]]:
        arrays: list[NDArray[Any]] = [
            self.x_train,
            self.y_train,
            self.x_test,
            self.y_test,
        ]
        if self.step is not None:
            arrays.append(self.step)
        return arrays

    def _check(self, part: str, inputs: Images | Features, labels: Indices) -> None:
        what = "feature vectors" if self.is_features else "images"
        if len(inputs) != len(labels) or not len(inputs):
            found = f"{len(inputs)} {part} {what} and {len(labels)} labels"
            raise StorageError(
                f"'{self.name}' has {found}; want as many of each, and one at least"
            )
        if labels.min() < 0 or labels.max() >= self.num_classes:
            found = f"{int(labels.min())} to {int(labels.max())}"
            raise StorageError(
                f"'{self.name}' has {part} labels from {found}; want 0 to {self.num_classes - 1}"
            )
        same_shape = inputs.shape[1:] == self.x_train.shape[1:]
        same_dtype = inputs.dtype == self.x_train.dtype
        if not (same_shape and same_dtype):
            found = f"{part} {what} of {inputs.dtype}, {inputs.shape[1:]}"
            raise StorageError(
                f"'{self.name}' has train {what} of {self.x_train.dtype}, {self.input_shape}, {found}"
            )
        if not inputs.size:
            raise StorageError(
                f"'{self.name}' has {part} {what} of {self.input_shape}; want at least one number each"
            )

    @property
    def num_classes(self) -> int:
        """The number of classes, K."""
        return len(self.class_names)

    @property
    def is_features(self) -> bool:
        """Whether examples are feature vectors, not images."""
        return self.x_train.ndim == 2

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Channels, height and width of an image, or the number of features."""
        return self.x_train.shape[1:]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every example and label, which distinguishes datasets of the same name."""
        sha = hashlib.sha256()
        for array in self._arrays():
            sha.update(f"{array.dtype.str}{array.shape}".encode())
            sha.update(np.ascontiguousarray(array).data)
        return sha.hexdigest()
