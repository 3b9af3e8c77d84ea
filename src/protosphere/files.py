"""Files are written beside their place and renamed into it: a reader sees the old one or the new one, never half."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from protosphere.errors import StorageError, brief


def replace_file(target: Path, write: Callable[[Path], None]) -> Path:
    """Call `write` with a name beside `target`, then rename; StorageError in one sentence where that cannot be.

    A link is followed, the permissions of a file that is there are kept, and what is no file is left alone.
    """
    try:
        place = target.resolve()
        if place.exists() and not place.is_file():
            raise StorageError(f"cannot write '{target}': it is there and not a regular file")
        beside = place.with_name(f".{place.name}.{os.getpid()}.part")
    except (OSError, ValueError) as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"cannot write {brief(str(target))}: {_reason(error)}") from error
    try:
        beside.touch()
        mode = (place if place.exists() else beside).stat().st_mode
        write(beside)
        beside.chmod(mode)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(place)
    except Exception as error:
        raise StorageError(f"cannot write '{target}': {_reason(error)}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return target


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error).splitlines()[0]


def replace_bytes(target: Path, content: bytes) -> Path:
    """`replace_file` with content that is there already."""

    def write(beside: Path) -> None:
        beside.write_bytes(content)

    return replace_file(target, write)
