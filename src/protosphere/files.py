"""Files are written beside their place and renamed into it: a reader sees the old one or the new one, never half."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from protosphere.errors import StorageError


def replace_file(target: Path, write: Callable[[Path], None]) -> Path:
    """Call `write` with a name beside `target`, then rename; StorageError in one sentence where that cannot be."""
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        write(beside)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(target)
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise StorageError(f"cannot write '{target}': {reason}") from error
    finally:
        beside.unlink(missing_ok=True)
    return target
