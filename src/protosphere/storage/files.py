"""Atomic file writes and file locks.

New content is written to a temporary file next to the target. This file is then renamed to the target. Therefore other
processes see either the old or the new content, never a part of the new content.

The context manager `locked` holds a lock of a folder or file, so that two processes do not change this folder or file
at the same time. It is needed for changes that take several steps.
"""

import errno
import os
import platform
import re
import stat
import time
import warnings
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from protosphere.errors import ProtosphereError, StorageError, brief

ABANDONED_SECONDS = 86_400.0
"""Age in seconds above which a temporary file counts as abandoned, even if its writer may still be running."""

NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Error numbers of file systems without locks."""

USUAL_MODE = 0o666
"""Permissions of a new file before the operating system removes those that the user's umask forbids."""

OWNER_WRITES = stat.S_IRUSR | stat.S_IWUSR
"""Permissions that the temporary file needs while it is written, even if the file that it replaces is read-only."""

_PART = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-\d+\.part")
_numbers = count()


def _resolved(target: Path) -> Path:
    try:
        place = target.resolve()
        place.exists()
    except (
        OSError,
        ValueError,
        RuntimeError,
    ) as error:  # the last of links that lead in a circle
        raise StorageError(
            f"cannot write {brief(str(target))}: {reason(error)}"
        ) from error
    return place


def replace_file(target: Path, write: Callable[[Path], object]) -> Path:
    """Create or replace a file atomically: write a temporary file, then rename this file to `target`.

    Symbolic links are followed, and the new file has the permissions of the file that it replaces. Temporary files that
    killed processes have left in the folder of `target` are removed.

    Args:
        target: The file to create or replace.
        write: Function that is called with the path of the temporary file and writes the content to this path.

    Returns:
        `target`.

    Raises:
        StorageError: If the file cannot be written, or if `target` exists and is not a regular file.
    """
    place = _resolved(target)
    if place.exists() and not place.is_file():
        raise StorageError(
            f"cannot write '{target}': it is there and not a regular file"
        )
    beside = place.with_name(
        f".{place.name}.{_machine()}-{os.getpid()}-{next(_numbers)}.part"
    )
    remove_abandoned(place.parent)
    try:
        mode = _created(beside, place)
        write(beside)
        with beside.open("r+b") as file:  # Windows flushes only what may be written to
            os.fsync(file.fileno())
        beside.chmod(mode)
        beside.replace(place)
    except ProtosphereError:
        raise
    except Exception as error:
        raise StorageError(f"cannot write '{target}': {reason(error)}") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return target


def _created(beside: Path, place: Path) -> int:
    old_mode = place.stat().st_mode if place.exists() else None
    if old_mode is None:
        usable_mode = USUAL_MODE
    else:
        # a user who cannot read the old file cannot read the temporary file either
        usable_mode = stat.S_IMODE(old_mode) | OWNER_WRITES
    beside.unlink(missing_ok=True)  # of a killed process that had our number
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, usable_mode))
    # the permissions of the finished file
    return beside.stat().st_mode if old_mode is None else old_mode


def reason(error: BaseException) -> str:
    """Return a short message for an exception.

    - If the exception, or an exception that led to it, has a message of the operating system, the result is this
      message.
    - Otherwise, it is the first line of the message of `error`. If this message is empty, it is the name of the type of
      `error`.

    Args:
        error: The exception.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__context__
    return next(iter(str(error).splitlines()), type(error).__name__)


def _machine() -> str:
    # a checksum of the host name, for the names of temporary files
    return f"{zlib.crc32(platform.node().encode()):08x}"


def replace_bytes(target: Path, content: bytes) -> Path:
    """Create or replace a file with the given bytes, so that other processes see the old or the new content.

    A temporary file is written and then renamed to `target`.

    Args:
        target: The file to create or replace.
        content: The new content of the file.

    Returns:
        `target`.

    Raises:
        StorageError: If the file cannot be written.
    """
    return replace_file(target, lambda beside: beside.write_bytes(content))


@contextmanager
def reading(path: str | Path, otherwise: str) -> Generator[None]:
    """Return a context manager for reading a file, which turns exceptions in the `with` block into a StorageError.

    A MemoryError is not changed.

    Args:
        path: Path of the file, for the error message.
        otherwise: Text of the error message for exceptions that have no message of the operating system.
    """
    try:
        yield
    except (StorageError, MemoryError):
        raise
    except Exception as error:  # a file may be damaged in any way
        if isinstance(error, FileNotFoundError):
            missing = "there is no such file"
        else:
            missing = None
        # numpy advises to trust the file
        if "pickle" not in str(error):
            detail = f" ({error})"
        else:
            detail = ""
        message = missing or getattr(error, "strerror", None) or f"{otherwise}{detail}"
        raise StorageError(f"cannot read '{path}': {message}") from error


def cache_folder() -> Path | None:
    """Return the folder in which this library caches files, or None if the user has no home folder."""
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("protosphere", appauthor=False, opinion=False)
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of killed processes in a folder.

    A temporary file is removed if it is more than a day old, or if the process that wrote it ran on this machine and
    has ended.
    """
    with suppress(OSError):
        for entry in os.scandir(folder):
            name = _PART.fullmatch(entry.name)
            with suppress(OSError):
                if name and _abandoned(name[1], int(name[2]), entry.stat().st_mtime):
                    Path(entry).unlink()


def _abandoned(machine: str, process: int, changed: float) -> bool:
    if time.time() - changed > ABANDONED_SECONDS:
        return True
    if (
        machine != _machine() or os.name != "posix"
    ):  # elsewhere asking for a process may end it
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, ProcessLookupError)  # else it is somebody else's
    return False


def make_folder(folder: Path) -> Path:
    """Create a folder and its parents if they do not exist, and return the folder.

    Args:
        folder: Path of the folder.

    Raises:
        StorageError: If the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot make the folder '{folder}': {error.strerror or error}"
        ) from error
    return folder


@contextmanager
def locked(path: Path, what: str) -> Generator[None]:
    """Return a context manager that holds an exclusive lock on a folder or a file.

    The lock is released when the `with` block ends or the process dies. The lock of a folder is the file `lock` inside
    the folder. The lock of a file NAME is the file .NAME.lock next to that file. On file systems without locks, nothing
    is locked.

    Args:
        path: Folder or file to lock.
        what: Word in the error message for the process that holds the lock, such as "sweep" or "run".

    Raises:
        StorageError: If another process holds the lock, or if the lock file cannot be written.
    """
    place = _resolved(path)
    place = place / "lock" if place.is_dir() else place.with_name(f".{place.name}.lock")
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # it says so where it has to make do with a file that is there or not
        from filelock import FileLock, Timeout

        lock = FileLock(place, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            advice = f"wait for it, or choose another {'folder' if path.is_dir() else 'file'}"
            raise StorageError(
                f"'{path}' is in use by another {what}; {advice}"
            ) from error
        except (
            OSError,
            RuntimeError,
        ) as error:  # filelock raises the second where the system has no locks
            if getattr(error, "errno", errno.ENOSYS) not in NO_LOCKS:
                raise StorageError(
                    f"cannot write '{place}': {reason(error)}"
                ) from error
    try:
        yield
    finally:
        lock.release()
