"""Atomic file writes: a file is written next to its target and renamed, so that readers never see half of it.

Use `locked` before changing a folder or a file in several steps.
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
"""Age at which a temporary file counts as abandoned if its process cannot be checked."""

NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Error numbers of file systems without locks."""

USUAL_MODE = 0o666
"""Mode of a new file before the system applies the user's umask."""

OWNER_WRITES = stat.S_IRUSR | stat.S_IWUSR
"""Permissions that the writer of a file needs, even if the file that it replaces is read-only."""

_PART = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-\d+\.part")
_numbers = count()


def _resolved(target: Path) -> Path:
    """Return the target of symbolic links.

    Raises:
        StorageError: If the links cannot be resolved, or the file name is invalid.
    """
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
    """Call `write` with a temporary name next to `target`, then rename the result to `target`.

    Symbolic links are followed, and the permissions of an existing file are kept. A target that is not a regular file
    is refused. Temporary files of writers that were killed are removed.

    Args:
        target: The file to create or replace.
        write: Function that writes the content to the given path.

    Raises:
        StorageError: If the file cannot be written.
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
    """Create the empty file `beside`, and return its final mode: the mode of `place`, or the usual mode.

    At no time has anybody except the owner more permissions than on the file that is replaced.
    """
    old_mode = place.stat().st_mode if place.exists() else None
    if old_mode is None:
        usable_mode = USUAL_MODE
    else:
        usable_mode = stat.S_IMODE(old_mode) | OWNER_WRITES
    beside.unlink(missing_ok=True)  # of a killed process that had our number
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, usable_mode))
    return beside.stat().st_mode if old_mode is None else old_mode


def reason(error: BaseException) -> str:
    """Return the system's message of an error, also if another exception was raised on top of it."""
    told: BaseException | None = error
    while told is not None:
        if isinstance(told, OSError) and told.strerror:
            return told.strerror
        told = told.__context__
    return next(iter(str(error).splitlines()), type(error).__name__)


def _machine() -> str:
    """Return eight digits that distinguish machines that share a folder."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def replace_bytes(target: Path, content: bytes) -> Path:
    """Write `content` to `target` as `replace_file` does.

    Args:
        target: The file to create or replace.
        content: The bytes.
    """
    return replace_file(target, lambda beside: beside.write_bytes(content))


@contextmanager
def reading(path: str | Path, otherwise: str) -> Generator[None]:
    """Return a context manager that turns errors while `path` is read into a StorageError.

    Args:
        path: The file, for the message.
        otherwise: Message for errors without a message of the system.
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
            told = f" ({error})"
        else:
            told = ""
        said = missing or getattr(error, "strerror", None) or f"{otherwise}{told}"
        raise StorageError(f"cannot read '{path}': {said}") from error


def cache_folder() -> Path | None:
    """Return the user's cache folder for this system; None if the user has no home folder."""
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("protosphere", appauthor=False, opinion=False)
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


def remove_abandoned(folder: Path) -> None:
    """Remove temporary files in `folder` that are a day old or whose process on this machine has ended."""
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
    """Create a folder if it does not exist, and return it.

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
    """Hold an exclusive lock on a folder or a file until the block ends or the process dies.

    The lock of a folder is the file `lock` inside it; the lock of a file is next to it. On file systems without
    locks, nothing is locked.

    Args:
        path: The folder or file.
        what: Name of the holder for the message, such as "sweep" or "run".

    Raises:
        StorageError: If another process holds the lock.
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
