"""One file from the network: resumed where it was cut off, checked against its digest, renamed into place."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from protosphere.data.sources import RemoteFile
from protosphere.errors import StorageError
from protosphere.types import Progress, ignore
from protosphere.version import __version__

BLOCK_BYTES = 1 << 18
TIMEOUT_SECONDS = 20.0
PARTIAL_CONTENT = 206
NOTHING_LEFT = 416
"""What a server answers to `give me the rest` when there is none."""
NETWORK_ERRORS = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)


class UnreachableError(StorageError):
    """The network, or the server, did not answer."""


def downloaded(file: RemoteFile, folder: Path, *, progress: Progress = ignore) -> Path:
    """`file` in `folder`, fetched. What came before a connection broke is kept beside it and continued next time.

    UnreachableError where there is no network; StorageError where what came is not what its publishers promise.
    """
    target = folder / file.name
    part = target.with_name(f".{target.name}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(file, part, progress)
        _check(file, part)
        part.replace(target)
    except NETWORK_ERRORS as error:
        reason = getattr(error, "reason", None) or error
        raise UnreachableError(f"cannot download {file.url}: {reason}") from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"cannot write '{target}': {error.strerror or error}") from error
    return target


def _fetch(file: RemoteFile, part: Path, progress: Progress) -> None:
    done = part.stat().st_size if part.exists() else 0
    with closing(_answer(file.url, done)) as answer:
        if answer.status == NOTHING_LEFT:
            return
        done = done if answer.status == PARTIAL_CONTENT else 0
        total = done + int(answer.headers.get("Content-Length") or 0)
        with part.open("ab" if done else "wb") as out:
            while block := answer.read(BLOCK_BYTES):
                out.write(block)
                done += len(block)
                progress(f"downloading {file.name}", done, max(total, done))
    if done < total:
        raise ConnectionError(f"the connection broke after {done} of {total} bytes; run it again to go on")


def _answer(url: str, done: int) -> Any:
    if urlsplit(url).scheme not in ("http", "https"):
        raise StorageError(f"cannot download {url}: want an http or https address")
    headers = {"User-Agent": f"protosphere/{__version__}"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == NOTHING_LEFT and done:
            return error
        raise


def _check(file: RemoteFile, part: Path) -> None:
    """Refuse, and remove, what does not have the digest."""
    algorithm, expected = file.digest.split(":")
    with part.open("rb") as content:
        found = hashlib.file_digest(content, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()
    if found != expected:
        part.unlink()
        raise StorageError(f"{file.url} brought another file than its publishers' ({algorithm} {found}); try again")
