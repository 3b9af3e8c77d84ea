"""Cache of compiled loops on disk, in the user's cache folder, with one folder per version of the source code.

numba's own cache checks whether the source file of a function has changed, but not whether the source files of the
functions that it calls have changed. numba's cache also raises errors if its folder is not writable or a file is
damaged. In the cache of this module, every file ends with a digest of its content. If the digest does not match, the
function is compiled again. Cached code is executed, so a folder that other users can write to is not used. In this
case, compiled code is kept in memory only.
"""
# numba ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false, reportPrivateUsage=false
# pyright: reportUntypedBaseClass=false

import hashlib
import logging
import os
import shutil
import sys
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from protosphere.storage.files import cache_folder
from protosphere.version import __version__

UNUSED_SECONDS = 60 * 86_400.0
"""Number of seconds after its last use at which the folder of another version is removed."""

DIGEST_BYTES = 32

DECORATORS = b"from protosphere.compiled.decorators import"
"""Beginning of a line that occurs in every file with compiled loops."""

_log = logging.getLogger("protosphere")
_reasons: list[str] = []  # of the warning that has been logged; empty before it


@lru_cache(maxsize=1)
def kernel_folder() -> Path | None:
    """Return the folder of compiled loops for this version of the source code and this CPU, or None.

    The result is None if there is no home folder, if the folder cannot be created, or if other users can write to it.
    In these cases, a warning is logged once.
    """
    chosen = getattr(config, "CACHE_DIR", "")
    root = Path(chosen) / "protosphere" if chosen else cache_folder()
    if root is None:
        return _in_memory("there is no home folder")
    folder = root / "kernels" / _key()
    try:
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            _forget_old(folder)
        status = folder.stat()
        with suppress(OSError):
            os.utime(folder)
    except OSError as error:
        return _in_memory(f"'{folder}': {error.strerror or error}")
    if hasattr(os, "geteuid") and (
        status.st_uid != os.geteuid() or status.st_mode & 0o022
    ):
        return _in_memory(f"others may write into '{folder}'")
    return folder


def _key() -> str:
    # the machine code depends on the source files, the compiler, Python and the CPU
    features = ""
    with suppress(RuntimeError):  # some processors do not say
        features = get_host_cpu_features().flatten()
    told = (
        __version__,
        numba.__version__,
        llvmlite.__version__,
        sys.version,
        get_host_cpu_name(),
        features,
    )
    digest = hashlib.sha256("\n".join(told).encode())
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        source = path.read_bytes()
        if DECORATORS in source or path == Path(__file__).with_name("decorators.py"):
            digest.update(source)
    return f"{__version__}-{digest.hexdigest()[:16]}"


def _forget_old(folder: Path) -> None:
    for other in folder.parent.iterdir():
        with suppress(OSError):
            if other != folder and time.time() - other.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)


def _in_memory(reason: str) -> None:
    if not _reasons:
        _reasons.append(reason)
        _log.warning(
            "compiled loops are not cached, so each process compiles them again: %s",
            reason,
        )


class _Implementation(CompileResultCacheImpl):
    def __init__(self, function: Any) -> None:
        self._py_file: str = (
            function.__code__.co_filename
        )  # numba's warnings name it, and the line
        self._lineno: int = function.__code__.co_firstlineno
        self._filename_base = f"{function.__module__}.{function.__qualname__}"
        self._locator = self

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(mode=0o700, parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(kernel_folder())

    def get_source_stamp(self) -> str:
        return ""  # the folder's name has it


class _Files(IndexDataCacheFile):
    # numba's own storage has an index file, which concurrent processes overwrite. This storage has no index file, but
    # one file per function and signature, which ends with a digest of its content.
    def _place(self, key: object) -> str:
        return f"{self._index_name.removesuffix('.nbi')}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def save(self, key: object, data: object) -> None:
        content: bytes = self._dump(data)
        with self._open_for_write(self._data_path(self._place(key))) as file:
            file.write(content + hashlib.sha256(content).digest())

    def load(self, key: object) -> object:
        place = self._place(key)
        content = Path(self._data_path(place)).read_bytes()
        whole = (
            hashlib.sha256(content[:-DIGEST_BYTES]).digest() == content[-DIGEST_BYTES:]
        )
        return self._load_data(place) if whole else None


class KernelCache(FunctionCache):
    """Cache of a function's machine code on disk, which numba calls before and after it compiles the function.

    If reading or writing the cache fails, no exception is raised. A function whose code cannot be read is compiled
    again.

    Args:
        function: The Python function.
    """

    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, "")

    def load_overload(self, sig: object, target_context: Any) -> Any:
        """Return the machine code of the function for a signature; None if it is not in the cache or cannot be read.

        Args:
            sig: Signature of the function.
            target_context: numba's compilation target.
        """
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # not there, or of another make: it is compiled
            return None

    def save_overload(self, sig: object, data: Any) -> None:
        """Store the machine code of the function for a signature.

        If the file cannot be written, a warning is logged.

        Args:
            sig: Signature of the function.
            data: Machine code.
        """
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _in_memory(f"'{self._cache_path}': {error.strerror or error}")
