"""Read a user's dataset from an .npz file with the arrays x_train, y_train, x_test and y_test.

Each function with a leading underscore checks and converts one array. Its arguments `path` and `key` are the path of
the file and the name of the array, for error messages.
"""

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
MAX_CLASSES = 1 << 22
"""Upper limit of labels: a file with a label of at least this number is refused as damaged."""


def read_npz(path: Path) -> Dataset:
    """Return the dataset in an .npz file.

    The file contains the following arrays:

    - `x_train` and `x_test` are images or features. Images have the shape N x H x W, N x H x W x C or N x C x H x W,
      with C = 1 or 3. They are integers from 0 to 255 or floats from 0 to 1. Features have the shape N x D.
    - `y_train` and `y_test` are labels: N integers from 0 to K - 1 for K classes.
    - `step` is optional. If the features are int8, it has one step size for each of the D columns. The value of a
      feature is the integer times the step size of its column. By default, all step sizes are 1.
    - `class_names` is optional. It has the names of the K classes. By default, the names are "0", "1", ..., up to the
      highest label.

    Args:
        path: Path of the file.

    Returns:
        The dataset, with the path of the file as its name.

    Raises:
        StorageError: If the file cannot be read or its arrays are inconsistent.
    """
    arrays = read_arrays(path, (*KEYS, "class_names", "step"), KEYS)
    y_train = _labels(path, "y_train", arrays["y_train"])
    y_test = _labels(path, "y_test", arrays["y_test"])
    names = _class_names(path, arrays.get("class_names"), y_train, y_test)
    are_features = arrays["x_train"].ndim == 2 or arrays["x_test"].ndim == 2
    step = None
    if are_features:
        x_train = _features(path, "x_train", arrays["x_train"])
        x_test = _features(path, "x_test", arrays["x_test"])
        step = _step(path, arrays.get("step"), x_train)
    else:
        x_train = _images(path, "x_train", arrays["x_train"])
        x_test = _images(path, "x_test", arrays["x_test"])
    return Dataset(str(path), x_train, y_train, x_test, y_test, names, step)


def npz_facts(path: Path) -> tuple[int, bool]:
    """Return the number of classes of the dataset in an .npz file, and whether its examples are feature vectors.

    The examples are not read.

    Args:
        path: Path of the file.

    Returns:
        The number of classes, and True if the examples are feature vectors or False if they are images.

    Raises:
        StorageError: If the file cannot be read or its labels are not valid.
    """
    arrays = read_arrays(path, ("y_train", "y_test", "class_names"), KEYS)
    y_train = _labels(path, "y_train", arrays["y_train"])
    y_test = _labels(path, "y_test", arrays["y_test"])
    names = _class_names(path, arrays.get("class_names"), y_train, y_test)
    are_features = len(array_shape(path, "x_train")) == 2
    return len(names), are_features


def _labels(path: Path, key: str, array: NDArray[Any]) -> Indices:
    # N x 1 labels are accepted, too.
    is_column = array.ndim == 2 and array.shape[1] == 1
    flat = array.reshape(-1) if is_column else array
    if flat.ndim != 1 or not np.issubdtype(flat.dtype, np.integer):
        raise StorageError(
            f"cannot read '{path}': {key} must be N integers, got {flat.dtype} of shape {array.shape}"
        )
    return flat.astype(np.int64)


def _class_names(
    path: Path, array: NDArray[Any] | None, y_train: Indices, y_test: Indices
) -> tuple[str, ...]:
    highest = int(max(y_train.max(initial=0), y_test.max(initial=0)))
    if highest >= MAX_CLASSES:
        raise StorageError(
            f"cannot read '{path}': a label of {highest}, want below {MAX_CLASSES}"
        )
    if array is None:  # the names are the labels themselves
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
    # int8 numbers are kept, and other numbers become float32.
    if array.dtype == np.int8:
        return np.ascontiguousarray(array)
    with np.errstate(over="ignore"):  # refused below
        values = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(values).all():
        raise StorageError(
            f"cannot read '{path}': {key} must be finite numbers of single precision"
        )
    return values


def _step(path: Path, array: NDArray[Any] | None, inputs: Features) -> Step | None:
    if inputs.dtype != np.int8:
        if array is not None:
            raise StorageError(
                f"cannot read '{path}': step goes with features of int8, got {inputs.dtype}"
            )
        return None
    if array is None:  # the step size of each column is 1
        num_columns = int(inputs.shape[1])
        return np.ones(num_columns, dtype=np.float32)
    has_shape = array.shape == inputs.shape[1:] and array.dtype.kind == "f"
    if not has_shape or not np.all(np.isfinite(array) & (array > 0)):
        found = f"{array.dtype} of shape {array.shape}"
        raise StorageError(
            f"cannot read '{path}': step must be one number above 0 per column of x_train, got {found}"
        )
    return array.astype(np.float32)


def _images(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.ndim == 3:
        array = array[:, None]
    elif _has_channels_last(array):
        array = array.transpose(0, 3, 1, 2)
    if array.ndim != 4 or array.shape[1] not in CHANNELS:
        wanted = "N x H x W or N x C x H x W for images, N x D for features"
        raise StorageError(
            f"cannot read '{path}': {key} must be {wanted}, got {array.shape}"
        )
    return np.ascontiguousarray(_bytes(path, key, array))


def _has_channels_last(array: NDArray[Any]) -> bool:
    if array.ndim != 4:
        return False
    return array.shape[1] not in CHANNELS and array.shape[3] in CHANNELS


def _bytes(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind not in "iuf":
        raise StorageError(
            f"cannot read '{path}': {key} must be numbers, got {array.dtype}"
        )
    low = float(array.min(initial=0))
    high = float(array.max(initial=0))
    # Integers are kept, and floats are multiplied by 255. NaN passes neither comparison below.
    is_integer = np.issubdtype(array.dtype, np.integer)
    if is_integer and low >= 0 and high <= 255:
        return array.astype(np.uint8)
    if not is_integer and low >= 0 and high <= 1:
        return np.rint(array * 255).astype(np.uint8)
    found = f"{array.dtype} from {low:g} to {high:g}"
    raise StorageError(
        f"cannot read '{path}': {key} must be bytes 0 to 255 or floats 0 to 1, got {found}"
    )
