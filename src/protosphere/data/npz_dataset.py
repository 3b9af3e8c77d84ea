"""Examples of the user's own: an .npz file with x_train, y_train, x_test and y_test."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.data.dataset import Dataset, Features, Images, Step
from protosphere.errors import StorageError
from protosphere.storage.npz import array_shape, read_arrays
from protosphere.types import Indices

KEYS = ("x_train", "y_train", "x_test", "y_test")
CHANNELS = (1, 3)
MOST_CLASSES = 1 << 22
"""A label above this is taken for damage, not for a class: every class below it would have a name."""


def read_npz(path: Path) -> Dataset:
    """The dataset in `path`.

    Images are N x H x W, N x H x W x C or N x C x H x W, with C = 1 or 3: bytes 0 ... 255, or floats 0 ... 1. Features
    are N x D numbers; int8 count in `step`, one number per column. Labels are integers from 0. An optional
    `class_names` names the classes.
    """
    arrays = read_arrays(path, (*KEYS, "class_names", "step"), KEYS)
    y_train, y_test = (_labels(path, key, arrays[key]) for key in ("y_train", "y_test"))
    names = _names(path, arrays.get("class_names"), y_train, y_test)
    are_features = arrays["x_train"].ndim == 2 or arrays["x_test"].ndim == 2
    read = _features if are_features else _images
    x_train, x_test = (read(path, key, arrays[key]) for key in ("x_train", "x_test"))
    step = _step(path, arrays.get("step"), x_train) if are_features else None
    return Dataset(str(path), x_train, y_train, x_test, y_test, names, step)


def npz_facts(path: Path) -> tuple[int, bool]:
    """The number of classes, and whether examples are features, without reading the examples."""
    arrays = read_arrays(path, ("y_train", "y_test", "class_names"), KEYS)
    labels = (_labels(path, key, arrays[key]) for key in ("y_train", "y_test"))
    names = _names(path, arrays.get("class_names"), *labels)
    return len(names), len(array_shape(path, "x_train")) == 2


def _labels(path: Path, key: str, array: NDArray[Any]) -> Indices:
    flat = array.reshape(-1) if array.ndim == 2 and array.shape[1] == 1 else array
    if flat.ndim != 1 or not np.issubdtype(flat.dtype, np.integer):
        raise StorageError(
            f"cannot read '{path}': {key} must be N integers, got {flat.dtype} of shape {array.shape}"
        )
    return flat.astype(np.int64)


def _names(path: Path, array: NDArray[Any] | None, *labels: Indices) -> tuple[str, ...]:
    """The names of all classes, by default the numbers up to the highest label."""
    highest = int(max(each.max(initial=0) for each in labels))
    if highest >= MOST_CLASSES:
        raise StorageError(
            f"cannot read '{path}': a label of {highest}, want below {MOST_CLASSES}"
        )
    if array is None:
        return tuple(map(str, range(highest + 1)))
    if array.ndim != 1 or array.dtype.kind not in "US":
        found = f"{array.dtype} of shape {array.shape}"
        raise StorageError(
            f"cannot read '{path}': class_names must be K texts, got {found}"
        )
    if array.dtype.kind == "S":
        texts = np.char.decode(array, "utf-8", "replace")
    else:
        texts = array
    return tuple(str(name) for name in texts)


def _features(path: Path, key: str, array: NDArray[Any]) -> Features:
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        raise StorageError(
            f"cannot read '{path}': {key} must be N x D numbers, got {array.dtype} of {array.shape}"
        )
    if array.dtype == np.int8:
        return np.ascontiguousarray(array)
    with np.errstate(over="ignore"):  # found below
        values = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(values).all():
        raise StorageError(
            f"cannot read '{path}': {key} must be finite numbers of single precision"
        )
    return values


def _step(
    path: Path, array: NDArray[Any] | None, inputs: Features | Images
) -> Step | None:
    if inputs.dtype != np.int8:
        if array is not None:
            raise StorageError(
                f"cannot read '{path}': step goes with features of int8, got {inputs.dtype}"
            )
        return None
    step = np.ones(inputs.shape[1], np.float32) if array is None else array
    if (
        step.shape != inputs.shape[1:]
        or step.dtype.kind != "f"
        or not (np.isfinite(step) & (step > 0)).all()
    ):
        found = f"{step.dtype} of shape {step.shape}"
        raise StorageError(
            f"cannot read '{path}': step must be one number above 0 per column of x_train, got {found}"
        )
    return step.astype(np.float32)


def _images(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.ndim == 3:
        array = array[:, None]
    elif (
        array.ndim == 4
        and array.shape[1] not in CHANNELS
        and array.shape[3] in CHANNELS
    ):
        array = array.transpose(0, 3, 1, 2)
    if array.ndim != 4 or array.shape[1] not in CHANNELS:
        wanted = "N x H x W or N x C x H x W for images, N x D for features"
        raise StorageError(
            f"cannot read '{path}': {key} must be {wanted}, got {array.shape}"
        )
    return np.ascontiguousarray(_bytes(path, key, array))


def _bytes(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind not in "iuf":
        raise StorageError(
            f"cannot read '{path}': {key} must be numbers, got {array.dtype}"
        )
    # not-a-number passes neither test below
    low = float(array.min(initial=0))
    high = float(array.max(initial=0))
    if np.issubdtype(array.dtype, np.integer) and low >= 0 and high <= 255:
        return array.astype(np.uint8)
    if np.issubdtype(array.dtype, np.floating) and low >= 0 and high <= 1:
        return np.rint(array * 255).astype(np.uint8)
    found = f"{array.dtype} from {low:g} to {high:g}"
    raise StorageError(
        f"cannot read '{path}': {key} must be bytes 0 to 255 or floats 0 to 1, got {found}"
    )
