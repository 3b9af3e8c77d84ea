"""Labelled examples as the rest of the house sees them: images as bytes, channels first, or vectors of features."""

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
    """Examples to learn from and examples to be judged by. Immutable: the arrays are read-only.

    Attributes:
        name: what it is called, or the path of a file of the user's.
        x_train, y_train: images or features, and the numbers of their classes.
        x_test, y_test: the same, never trained on.
        class_names: one name per class.
        step: of features kept as int8, the value that 1 stands for in each column; else None.
    """

    name: str
    x_train: Images | Features = field(repr=False)
    y_train: Indices = field(repr=False)
    x_test: Images | Features = field(repr=False)
    y_test: Indices = field(repr=False)
    class_names: tuple[str, ...] = field(repr=False)
    step: Step | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for part, inputs, labels in (
            ("train", self.x_train, self.y_train),
            ("test", self.x_test, self.y_test),
        ):
            self._check(part, inputs, labels)
        for array in self._arrays():
            array.flags.writeable = False

    def _arrays(self) -> list[NDArray[Any]]:
        arrays: list[NDArray[Any]] = [
            self.x_train,
            self.y_train,
            self.x_test,
            self.y_test,
        ]
        return arrays if self.step is None else [*arrays, self.step]

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
        if (
            inputs.shape[1:] != self.x_train.shape[1:]
            or inputs.dtype != self.x_train.dtype
        ):
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
        """K."""
        return len(self.class_names)

    @property
    def is_features(self) -> bool:
        """Whether examples are vectors of features, not images."""
        return self.x_train.ndim == 2

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Channels, height and width of an image, or the number of features."""
        return self.x_train.shape[1:]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every example and label: two sets of the same name need not be the same."""
        sha = hashlib.sha256()
        for array in self._arrays():
            sha.update(f"{array.dtype.str}{array.shape}".encode())
            sha.update(np.ascontiguousarray(array).data)
        return sha.hexdigest()
