"""The class `Dataset`: labeled training and test examples, which are images or feature vectors."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError
from protosphere.types import Indices

Images = NDArray[np.uint8]
"""Type of N images: an N x channels x height x width array of bytes."""

Features = NDArray[np.float32] | NDArray[np.int8]
"""Type of N feature vectors: an N x D array of float32, or of int8 in units of the dataset's `step`."""

Step = NDArray[np.float32]
"""Type of the D step sizes of int8 features. The value of a feature is its integer times the step of its column."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training and test examples in read-only arrays.

    Attributes:
        name: Name of the dataset, or path of the user's file.
        x_train: Training images (N x channels x height x width bytes) or features (N x D).
        y_train: Classes of the N training examples, from 0 to K - 1.
        x_test: Test images or features, in the same form as the training examples.
        y_test: Classes of the test examples, from 0 to K - 1.
        class_names: Names of the K classes.
        step: Step size of each of the D columns, if the features are stored as int8. The value of a feature is the
            stored integer times the step size of its column. None for images and for float features.

    Raises:
        StorageError: If the numbers of examples and labels, the shapes or the dtypes are inconsistent.

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
        """Number K of classes."""
        return len(self.class_names)

    @property
    def is_features(self) -> bool:
        """True if the examples are feature vectors, False if they are images."""
        return self.x_train.ndim == 2

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Shape of an example: (channels, height, width) of an image, or (D,) of a feature vector."""
        return self.x_train.shape[1:]

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of all examples and labels, and of the factors by which int8 features are multiplied.

        The digest distinguishes datasets of the same name.
        """
        sha = hashlib.sha256()
        for array in self._arrays():
            sha.update(f"{array.dtype.str}{array.shape}".encode())
            sha.update(np.ascontiguousarray(array).data)
        return sha.hexdigest()
