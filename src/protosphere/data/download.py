"""One file from the network: resumed where it was cut off, checked against its digest, renamed into place."""

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
"""What is kept of a download that breaks is whole blocks."""

TIMEOUT_SECONDS = 20.0


class UnreachableError(StorageError):
    """The network, or the server, did not answer."""


class _Bar:
    """A progress bar as pooch knows them: bytes that have come, after those of another day."""

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
    """`file` in `folder`, fetched. What came before a connection broke is kept beside it and continued next time.

    UnreachableError where there is no network; StorageError where what came is not what its publishers promise.
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
        _check(file, part)
        part.replace(target)
    except broken as error:
        raise UnreachableError(
            f"cannot download {file.url}: {_cause(error)}; run it again to go on"
        ) from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            f"cannot write '{target}': {error.strerror or error}"
        ) from error
    return target


def _fetch(file: RemoteFile, part: Path, progress: Progress) -> None:
    """The file, or the rest of it, by pooch, which itself cannot go on where it was cut off."""
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


def _cause(error: BaseException) -> object:
    """What the system said, below what three libraries made of it."""
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return getattr(error, "strerror", None) or error


def _check(file: RemoteFile, part: Path) -> None:
    """Refuse, and remove, what does not have the digest."""
    algorithm, expected = file.digest.split(":")
    found = require("pooch").file_hash(part, alg=algorithm)
    if found != expected:
        part.unlink()
        raise StorageError(
            f"{file.url} brought another file than its publishers' ({algorithm} {found}); try again"
        )
