"""One safetensors file: arrays, a JSON description, and a digest over both. Knows nothing of what they mean."""

import hashlib
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError
from protosphere.files import reason, replace_file

Arrays = Mapping[str, NDArray[Any]]
FORMAT = "protosphere-code-1"


def digest(arrays: Arrays, description: str) -> str:
    """SHA-256 over the description and every array's name, type, shape and bytes."""
    sha = hashlib.sha256(description.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        sha.update(array.data)
    return sha.hexdigest()


def write(path: str | Path, arrays: Arrays, description: Mapping[str, Any]) -> None:
    """Write `path`, with a digest over everything in it."""
    safetensors: Any = import_module("safetensors.numpy")  # its own types are partial
    text = json.dumps(description, sort_keys=True)
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata = {"format": FORMAT, "description": text, "digest": digest(contiguous, text)}
    replace_file(Path(path), lambda beside: safetensors.save_file(contiguous, beside, metadata=metadata))


def read(path: str | Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the description of a file written by `write`; StorageError says what is wrong with any other."""
    safetensors: Any = import_module("safetensors")  # its own types are partial
    source = Path(path)
    try:
        if not source.is_file():
            raise StorageError(f"cannot read '{source}': {'a folder' if source.is_dir() else 'there is no such file'}")
        with safetensors.safe_open(source, framework="numpy") as file:
            metadata: dict[str, str] = file.metadata() or {}
            names: list[str] = file.keys()
            arrays: dict[str, NDArray[Any]] = {name: file.get_tensor(name) for name in names}
    except StorageError:
        raise
    except Exception as error:  # of a foreign file, safetensors may also raise AttributeError (number types it lacks)
        raise StorageError(f"cannot read '{source}': truncated or not a safetensors file ({reason(error)})") from error
    return arrays, _described(source, arrays, metadata)


def _described(source: Path, arrays: Arrays, metadata: Mapping[str, str]) -> dict[str, Any]:
    if metadata.get("format") != FORMAT:
        raise StorageError(f"cannot read '{source}': a safetensors file, but not one that protosphere wrote")
    text = metadata.get("description", "")
    if metadata.get("digest") != digest(arrays, text):
        raise StorageError(f"cannot read '{source}': its content does not match its digest; edited or damaged")
    try:
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StorageError(f"cannot read '{source}': its description is not JSON ({reason(error)})") from error
    if not isinstance(description, dict):
        raise StorageError(f"cannot read '{source}': its description is not a JSON object")
    return cast("dict[str, Any]", description)
