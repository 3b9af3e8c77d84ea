"""Read and write safetensors files with arrays, a JSON header, and a digest of both.

The digest is a SHA-256 hash of the content, with which damage is detected. This module does not interpret the arrays
and the header.
"""

import hashlib
import json
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import StorageError
from protosphere.storage.files import reason, replace_file

Arrays = Mapping[str, NDArray[Any]]
FORMAT = "protosphere-code-1"


def digest(arrays: Arrays, description: str) -> str:
    """Return the SHA-256 digest of a header and of some arrays, as hex digits.

    Of each array, its name, type, shape and bytes are part of the digest.

    Args:
        arrays: Arrays by name.
        description: Header as JSON text.
    """
    sha = hashlib.sha256(description.encode())
    for name in sorted(arrays):
        _enter(sha, name, arrays[name])
    return sha.hexdigest()


def _enter(sha: Any, name: str, array: NDArray[Any]) -> None:
    sha.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
    sha.update(np.ascontiguousarray(array).data)


def write(path: str | Path, arrays: Arrays, description: Mapping[str, Any]) -> None:
    """Write arrays, a header, and a SHA-256 digest of both to a safetensors file.

    Args:
        path: Path of the file; an existing file is replaced.
        arrays: Arrays by name.
        description: Header, which must be JSON-serializable.
    """
    safetensors: Any = import_module("safetensors.numpy")  # its own types are partial
    text = json.dumps(description, sort_keys=True)
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata = {
        "format": FORMAT,
        "description": text,
        "digest": digest(contiguous, text),
    }

    def save(beside: Path) -> None:
        safetensors.save_file(contiguous, beside, metadata=metadata)
        _sort_header(beside)

    replace_file(Path(path), save)


def _sort_header(file: Path) -> None:
    # equal codes then give equal files
    with file.open("r+b") as stream:
        size = int.from_bytes(stream.read(8), "little")
        header = json.dumps(
            json.loads(stream.read(size)),
            sort_keys=True,
            ensure_ascii=False,
            separators=(",", ":"),
        )
        if len(header.encode()) <= size:
            stream.seek(8)
            stream.write(header.encode().ljust(size))


def read(path: str | Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays (by name) and the header of a file that `write` wrote.

    Args:
        path: Path of the file.

    Raises:
        StorageError: If the file is damaged or was not written by `write`.
    """
    with opened(path) as content:
        return content


@contextmanager
def opened(
    path: str | Path,
) -> Generator[tuple[dict[str, NDArray[Any]], dict[str, Any]]]:
    """Return a context manager that yields the arrays (by name) and the header of a file.

    During the `with` block, another thread computes the digest of the content. At the end of the block, this digest is
    compared with the digest in the file. If the two differ, a StorageError replaces any other error that the block
    raised, because damaged content may be the cause of that error.

    Args:
        path: Path of a file that `write` wrote.

    Raises:
        StorageError: If the file is damaged or was not written by `write`.
    """
    safetensors: Any = import_module("safetensors")  # its own types are partial
    source = Path(path)
    arrays = dict[str, NDArray[Any]]()
    entered = list[Future[None]]()
    with ThreadPoolExecutor(1) as beside:
        try:
            if not source.is_file():
                raise StorageError(
                    f"cannot read '{source}': {'a folder' if source.is_dir() else 'there is no such file'}"
                )
            with safetensors.safe_open(source, framework="numpy") as file:
                metadata: dict[str, str] = file.metadata() or {}
                if metadata.get("format") != FORMAT:
                    raise StorageError(
                        f"cannot read '{source}': a safetensors file, but not one that protosphere wrote"
                    )
                text = metadata.get("description", "")
                sha = hashlib.sha256(text.encode())
                for name in sorted(file.keys()):
                    arrays[name] = file.get_tensor(name)
                    try:
                        entered.append(beside.submit(_enter, sha, name, arrays[name]))
                    except RuntimeError:  # no thread can be started: the program ends, or the system has no more
                        beside.shutdown()
                        _enter(sha, name, arrays[name])
        except StorageError:
            raise
        except Exception as error:  # of a foreign file, also AttributeError (number types that safetensors lacks)
            told = f"truncated or not a safetensors file ({reason(error)})"
            raise StorageError(f"cannot read '{source}': {told}") from error
        try:
            yield arrays, _description(source, text)
        finally:
            for future in entered:
                future.result()
            if metadata.get("digest") != sha.hexdigest():
                raise StorageError(
                    f"cannot read '{source}': its content does not match its digest; edited or damaged"
                )


def _description(source: Path, text: str) -> dict[str, Any]:
    try:
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StorageError(
            f"cannot read '{source}': its description is not JSON ({reason(error)})"
        ) from error
    if not isinstance(description, dict):
        raise StorageError(
            f"cannot read '{source}': its description is not a JSON object"
        )
    return cast("dict[str, Any]", description)
