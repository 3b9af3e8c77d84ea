"""Examples of the user's own: an .npz file with x_train, y_train, x_test and y_test."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.data.dataset import Dataset, Features, Images, Step, numbered_names
from protosphere.errors import StorageError
from protosphere.types import Indices

KEYS = ("x_train", "y_train", "x_test", "y_test")
OPTIONAL = ("class_names", "step")
CHANNELS = (1, 3)
MOST_CLASSES = 1 << 22
"""A label above this is taken for damage, not for a class: every class below it would have a name."""

UNSUSPECTED_BYTES = 1 << 28
LARGEST_RATIO = 100
"""An array of more bytes than the first that is packed more than so many times is refused unread: real data is not."""


DAMAGE = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, RuntimeError, SyntaxError, TypeError, ValueError),
    *(zipfile.BadZipFile, zlib.error),
)
"""What numpy and zipfile raise for files that are damaged or made to annoy."""


def read_npz(path: Path) -> Dataset:
    """The dataset in `path`.

    Images are N x H x W, N x H x W x C or N x C x H x W, with C = 1 or 3: bytes 0 ... 255, or floats 0 ... 1. Features
    are N x D numbers; int8 count in `step`, one number per column. Labels are integers from 0. An optional
    `class_names` names the classes.
    """
    arrays = _arrays(path, (*KEYS, *OPTIONAL))
    y_train, y_test = (_labels(path, key, arrays[key]) for key in ("y_train", "y_test"))
    names = _names(path, arrays.get("class_names"), _count(path, y_train, y_test))
    if arrays["x_train"].ndim == 2 or arrays["x_test"].ndim == 2:
        x_train, x_test = (_features(path, key, arrays[key]) for key in ("x_train", "x_test"))
        step = _step(path, arrays.get("step"), x_train)
        return Dataset(str(path), x_train, y_train, x_test, y_test, names, step)
    x_train, x_test = (_images(path, key, arrays[key]) for key in ("x_train", "x_test"))
    return Dataset(str(path), x_train, y_train, x_test, y_test, names)


def npz_facts(path: Path) -> tuple[int, bool]:
    """The number of classes, and whether examples are features, without reading the examples."""
    arrays = _arrays(path, ("y_train", "y_test", "class_names"), KEYS)
    labels = (_labels(path, key, arrays[key]) for key in ("y_train", "y_test"))
    names = _names(path, arrays.get("class_names"), _count(path, *labels))
    with _opened(path) as file:
        return len(names), len(_header(path, file, "x_train")[0]) == 2


@contextmanager
def _opened(path: Path) -> Generator[np.lib.npyio.NpzFile]:
    """The file, lazily; StorageError in one sentence for whatever is wrong with it while it is open."""
    if not path.is_file():
        raise StorageError(f"cannot read '{path}': there is no such file")
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:  # numpy leaves damaged files open
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise StorageError(f"cannot read '{path}': one array, want an .npz file of {', '.join(KEYS)}")
            yield file
    except StorageError:
        raise
    except MemoryError as error:
        raise StorageError(f"cannot read '{path}': it needs more memory than the machine has") from error
    except OSError as error:
        raise StorageError(f"cannot read '{path}': {error.strerror or error}") from error
    except DAMAGE as error:
        raise StorageError(f"cannot read '{path}': truncated or not an .npz file of plain numbers") from error


def _arrays(path: Path, wanted: Iterable[str], needed: Iterable[str] = KEYS) -> Mapping[str, NDArray[Any]]:
    with _opened(path) as file:
        present: list[str] = file.files
        missing = [key for key in needed if key not in present]
        if missing:
            raise StorageError(f"cannot read '{path}': it has no {', '.join(missing)}; want {', '.join(KEYS)}")
        found: dict[str, NDArray[Any]] = {}
        for key in wanted:
            if key in present:
                _check_size(path, file, key)
                found[key] = file[key]
        return found


def _header(path: Path, file: np.lib.npyio.NpzFile, key: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array, from its first bytes."""
    assert file.zip is not None, "an open file has its archive"
    with file.zip.open(f"{key}.npy") as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(member)
    if not all(isinstance(size, int) and size >= 0 for size in shape):  # pyright: ignore[reportUnnecessaryIsInstance] - as the file says
        raise StorageError(f"cannot read '{path}': {key} has an impossible shape, {shape}")
    return shape, dtype


def _check_size(path: Path, file: np.lib.npyio.NpzFile, key: str) -> None:
    """Refuse an array whose header promises far more than its packed bytes can honestly hold."""
    shape, dtype = _header(path, file, key)
    assert file.zip is not None, "an open file has its archive"
    promised, packed = prod(shape) * dtype.itemsize, file.zip.getinfo(f"{key}.npy").compress_size
    if promised > UNSUSPECTED_BYTES and promised > LARGEST_RATIO * packed:
        size = f"{promised / 2**30:.1f} GiB out of {packed / 2**20:.1f} MiB"
        raise StorageError(f"cannot read '{path}': {key} would unpack to {size}; real data is not packed so tightly")


def _labels(path: Path, key: str, array: NDArray[Any]) -> Indices:
    flat = array.reshape(-1) if array.ndim == 2 and array.shape[1] == 1 else array
    if flat.ndim != 1 or not np.issubdtype(flat.dtype, np.integer):
        raise StorageError(f"cannot read '{path}': {key} must be N integers, got {flat.dtype} of shape {array.shape}")
    return flat.astype(np.int64)


def _count(path: Path, *labels: Indices) -> int:
    """The number of classes that the labels are of."""
    highest = int(max(each.max(initial=0) for each in labels))
    if highest >= MOST_CLASSES:
        raise StorageError(f"cannot read '{path}': a label of {highest}, want below {MOST_CLASSES}")
    return highest + 1


def _names(path: Path, array: NDArray[Any] | None, count: int) -> tuple[str, ...]:
    if array is None:
        return numbered_names(count)
    if array.ndim != 1 or array.dtype.kind not in "US":
        found = f"{array.dtype} of shape {array.shape}"
        raise StorageError(f"cannot read '{path}': class_names must be K texts, got {found}")
    texts = np.char.decode(array, "utf-8", "replace") if array.dtype.kind == "S" else array
    return tuple(str(name) for name in texts)


def _features(path: Path, key: str, array: NDArray[Any]) -> Features:
    kind = array.dtype.kind
    if array.ndim != 2 or kind not in "iuf":
        raise StorageError(f"cannot read '{path}': {key} must be N x D numbers, got {array.dtype} of {array.shape}")
    if array.dtype == np.int8:
        return np.ascontiguousarray(array)
    values = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(values).all():
        raise StorageError(f"cannot read '{path}': {key} must be finite numbers of single precision")
    return values


def _step(path: Path, array: NDArray[Any] | None, inputs: Features) -> Step | None:
    if inputs.dtype != np.int8:
        if array is not None:
            raise StorageError(f"cannot read '{path}': step goes with features of int8, got {inputs.dtype}")
        return None
    step = np.ones(inputs.shape[1], np.float32) if array is None else array
    if step.shape != inputs.shape[1:] or step.dtype.kind != "f" or not (np.isfinite(step) & (step > 0)).all():
        found = f"{step.dtype} of shape {step.shape}"
        raise StorageError(f"cannot read '{path}': step must be one number above 0 per column of x_train, got {found}")
    return step.astype(np.float32)


def _images(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.ndim == 3:
        array = array[:, None]
    elif array.ndim == 4 and array.shape[1] not in CHANNELS and array.shape[3] in CHANNELS:
        array = array.transpose(0, 3, 1, 2)
    if array.ndim != 4 or array.shape[1] not in CHANNELS:
        wanted = "N x H x W or N x C x H x W for images, N x D for features"
        raise StorageError(f"cannot read '{path}': {key} must be {wanted}, got {array.shape}")
    return np.ascontiguousarray(_bytes(path, key, array))


def _bytes(path: Path, key: str, array: NDArray[Any]) -> Images:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind not in "iuf":
        raise StorageError(f"cannot read '{path}': {key} must be numbers, got {array.dtype}")
    low, high = float(array.min(initial=0)), float(array.max(initial=0))  # not-a-number passes neither test below
    if np.issubdtype(array.dtype, np.integer) and low >= 0 and high <= 255:
        return array.astype(np.uint8)
    if np.issubdtype(array.dtype, np.floating) and low >= 0 and high <= 1:
        return np.rint(array * 255).astype(np.uint8)
    found = f"{array.dtype} from {low:g} to {high:g}"
    raise StorageError(f"cannot read '{path}': {key} must be bytes 0 to 255 or floats 0 to 1, got {found}")
