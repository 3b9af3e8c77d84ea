"""Download a file from the network, after an interruption from where it stopped, and check the digest of the file."""

from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from protosphere.data.registry import RemoteFile
from protosphere.errors import StorageError
from protosphere.extras import require
from protosphere.types import Progress, ignore
from protosphere.version import __version__

BLOCK_BYTES = 1 << 15
"""Size in bytes of the blocks in which a download is written."""

TIMEOUT_SECONDS = 20.0


class UnreachableError(StorageError):
    """Error that is raised if the network or the server does not answer."""


class _Bar:
    # pooch calls the methods. `begun` is the number of bytes of the file that earlier, interrupted downloads fetched.

    total = 0

    def __init__(self, name: str, begun: int, progress: Progress) -> None:
        self.name = name
        self.begun = begun
        self.progress = progress
        self.fresh = 0

    def update(self, count: int) -> None:
        self.fresh = min(self.fresh + count, max(self.total, self.fresh))
        self.progress(
            f"downloading {self.name}",
            self.begun + self.fresh,
            self.begun + max(self.total, self.fresh),
        )

    def reset(self) -> None:
        self.fresh = 0

    def close(self) -> None:
        pass


def downloaded(file: RemoteFile, folder: Path, *, progress: Progress = ignore) -> Path:
    """Download a file and return its path.

    If a download is interrupted, the next call with the same arguments resumes it.

    Args:
        file: Name, address and digest of the file to download.
        folder: Folder to put the file into.
        progress: Function that is called with three arguments: a description of the step, the number of downloaded
            bytes, and the number of all bytes.

    Returns:
        Path of the file.

    Raises:
        UnreachableError: If the network or the server does not answer.
        StorageError: If the file cannot be written, has another digest than `file.digest`, or has an address that does
            not begin with http or https.
    """
    if urlsplit(file.url).scheme not in ("http", "https"):
        raise StorageError(f"cannot download {file.url}: want an http or https address")
    require("pooch")  # which brings requests
    broken: type[OSError] = import_module("requests.exceptions").RequestException
    target = folder / file.name
    part = target.with_name(f".{target.name}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(file, part, progress)
        _check_digest(file, part)
        part.replace(target)
    except broken as error:
        raise UnreachableError(
            f"cannot download {file.url}: {_innermost_cause(error)}; run it again to go on"
        ) from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            f"cannot write '{target}': {error.strerror or error}"
        ) from error
    return target


def _fetch(file: RemoteFile, part: Path, progress: Progress) -> None:
    # if `part` already contains the beginning of the file, only the rest is downloaded
    begun = part.stat().st_size if part.exists() else 0
    headers = {
        "User-Agent": f"protosphere/{__version__}",
        "Accept-Encoding": "identity",
    }
    if begun:
        headers["Range"] = f"bytes={begun}-"
    bar = _Bar(file.name, begun, progress)
    with part.open("ab") as out:

        def begin_anew(answer: Any, **_: object) -> None:
            if answer.status_code == HTTPStatus.OK:  # the whole of it, not the rest
                bar.begun = 0
                out.truncate(0)

        options = {
            "headers": headers,
            "hooks": {"response": begin_anew},
            "timeout": TIMEOUT_SECONDS,
        }
        fetch = require("pooch").HTTPDownloader(
            progressbar=bar, chunk_size=BLOCK_BYTES, **options
        )
        try:
            fetch(file.url, out, None)
        except import_module("requests.exceptions").HTTPError as error:
            nothing_left = (
                error.response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
            )
            if not (begun and nothing_left):
                raise


def _innermost_cause(error: BaseException) -> object:
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return getattr(error, "strerror", None) or error


def _check_digest(file: RemoteFile, part: Path) -> None:
    algorithm, expected = file.digest.split(":")
    found = require("pooch").file_hash(part, alg=algorithm)
    if found != expected:
        part.unlink()
        raise StorageError(
            f"{file.url} brought another file than its publishers' ({algorithm} {found}); try again"
        )
