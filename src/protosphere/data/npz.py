"""Images of the user's own: an .npz file with x_train, y_train, x_test and y_test."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.data.dataset import Dataset, Images, numbered_names
from protosphere.errors import StorageError
from protosphere.types import Indices

KEYS = ("x_train", "y_train", "x_test", "y_test")
CHANNELS = (1, 3)


def read_npz(path: Path) -> Dataset:
    """The dataset in `path`.

    Images are N x H x W, N x H x W x C or N x C x H x W, with C = 1 or 3: bytes 0 ... 255, or floats 0 ... 1.
    Labels are integers from 0. An optional `class_names` names the classes.
    """
    arrays = _arrays(path)
    missing = [key for key in KEYS if key not in arrays]
    if missing:
        raise StorageError(f"cannot read '{path}': it has no {', '.join(missing)}; want {', '.join(KEYS)}")
    y_train, y_test = (_labels(path, key, arrays[key]) for key in ("y_train", "y_test"))
    count = 1 + int(max(y_train.max(initial=0), y_test.max(initial=0)))
    names = tuple(str(name) for name in arrays["class_names"]) if "class_names" in arrays else numbered_names(count)
    x_train, x_test = (_images(path, key, arrays[key]) for key in ("x_train", "x_test"))
    return Dataset(str(path), x_train, y_train, x_test, y_test, names)


def _arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise StorageError(f"cannot read '{path}': one array, want an .npz file of {', '.join(KEYS)}")
            names: list[str] = file.files
            arrays: dict[str, NDArray[Any]] = {key: file[key] for key in names}
            return arrays
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, AttributeError) as error:
        raise StorageError(f"cannot read '{path}': truncated or not an .npz file of plain numbers") from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"cannot read '{path}': {error.strerror or error}") from error


def _labels(path: Path, key: str, array: NDArray[Any]) -> Indices:
    flat = array.reshape(-1) if array.ndim == 2 and array.shape[1] == 1 else array
    if flat.ndim != 1 or not np.issubdtype(flat.dtype, np.integer):
        raise StorageError(f"cannot read '{path}': {key} must be N integers, got {flat.dtype} of shape {array.shape}")
    return flat.astype(np.int64)


def _images(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.ndim == 3:
        array = array[:, None]
    elif array.ndim == 4 and array.shape[1] not in CHANNELS and array.shape[3] in CHANNELS:
        array = array.transpose(0, 3, 1, 2)
    if array.ndim != 4 or array.shape[1] not in CHANNELS:
        raise StorageError(f"cannot read '{path}': {key} must be N x H x W or N x C x H x W, got {array.shape}")
    return np.ascontiguousarray(_bytes(path, key, array))


def _bytes(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.dtype == np.uint8:
        return array
    low, high = float(array.min(initial=0)), float(array.max(initial=0))  # not-a-number passes neither test below
    if np.issubdtype(array.dtype, np.integer) and low >= 0 and high <= 255:
        return array.astype(np.uint8)
    if np.issubdtype(array.dtype, np.floating) and low >= 0 and high <= 1:
        return np.rint(array * 255).astype(np.uint8)
    found = f"{array.dtype} from {low:g} to {high:g}"
    raise StorageError(f"cannot read '{path}': {key} must be bytes 0 to 255 or floats 0 to 1, got {found}")
