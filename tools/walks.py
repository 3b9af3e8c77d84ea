"""Walks: the files of protosphere that one call of the library visits, and the calls between these files.

A file is visited if one of its functions is called. `python -m tools.walks NAME OUTPUT` records a walk and writes it as
JSON. The function `measure` runs this command in a new process. There, no caches of earlier calls are filled, so the
walk is complete.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import protosphere
from protosphere.errors import ProtosphereError

PACKAGE = Path(protosphere.__file__).resolve().parent
REPOSITORY = Path(__file__).resolve().parents[1]

Call = Callable[[], object]
Edge = tuple[str, str]


@dataclass(frozen=True)
class Walk:
    """The files that a call visited, and the calls between them.

    Attributes:
        name: Name of the walk, a key of `WALKS`.
        title: The call as text.
        files: Paths of the visited files relative to the package, in the order of the first visit.
        calls: Number of calls for each pair of files (caller, callee), in the order of the first call.
    """

    name: str
    title: str
    files: tuple[str, ...]
    calls: dict[Edge, int]

    @property
    def hops(self) -> int:
        """Number of calls from a function in one file to a function in another."""
        return sum(self.calls.values())

    @property
    def scheme_files(self) -> tuple[str, ...]:
        """Visited files of schemes, and visited files that are reached only through files of schemes."""
        own = self._files_reached_without_schemes()
        return tuple(file for file in self.files if file not in own)

    def _files_reached_without_schemes(self) -> set[str]:
        """Return the visited files that a chain of calls reaches without passing through a file of schemes."""
        called = {callee for _, callee in self.calls}
        waiting = [file for file in self.files if file not in called]
        waiting += self.files[:1]
        reached: set[str] = set()
        while waiting:
            file = waiting.pop()
            if file in reached or _holds_schemes(file):
                continue
            reached.add(file)
            waiting += [callee for caller, callee in self.calls if caller == file]
        return reached

    def record(self) -> dict[str, Any]:
        """Return the walk as a dict that can be written as JSON."""
        edges = [
            {"caller": caller, "callee": callee, "calls": calls}
            for (caller, callee), calls in self.calls.items()
        ]
        return {
            "name": self.name,
            "title": self.title,
            "files": list(self.files),
            "scheme_files": len(self.scheme_files),
            "edges": edges,
            "hops": self.hops,
        }


def walk_from(record: dict[str, Any]) -> Walk:
    """Return the walk that `Walk.record` has turned into `record`."""
    calls = {
        (edge["caller"], edge["callee"]): edge["calls"] for edge in record["edges"]
    }
    return Walk(record["name"], record["title"], tuple(record["files"]), calls)


def _holds_schemes(file: str) -> bool:
    match Path(file).parts:
        case ["constructions", room, _]:
            return room != "best"
        case _:
            return False


class Recorder:
    """A profile function for `sys.setprofile` that counts calls between files of the package.

    If a function of another package calls a function of protosphere, the call counts for the nearest caller in
    protosphere. Imports are ignored. A generator counts when it starts, but not when it continues.
    """

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.calls: Counter[Edge] = Counter()
        self._generators: set[FrameType] = set()
        self._importing = threading.local()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Count the call if the event is a call of a function in the package."""
        del argument
        if event not in ("call", "return"):
            return
        if frame.f_code.co_name == "<module>":
            depth = getattr(self._importing, "depth", 0)
            self._importing.depth = depth + (1 if event == "call" else -1)
        elif event == "call" and not getattr(self._importing, "depth", 0):
            self._count(frame)

    def _count(self, frame: FrameType) -> None:
        file = package_file(frame.f_code)
        if file is None or self._is_resumed(frame):
            return
        self.files.setdefault(file)
        caller = calling_file(frame)
        if caller not in (None, file):
            self.calls[caller, file] += 1

    def _is_resumed(self, frame: FrameType) -> bool:
        """Return whether `frame` belongs to a generator that has started before."""
        if not frame.f_code.co_flags & CO_GENERATOR:
            return False
        if frame in self._generators:
            return True
        self._generators.add(frame)
        return False


@cache
def package_file(code: CodeType) -> str | None:
    """Return the path of the file of `code` relative to the package; None for code of other packages."""
    path = Path(code.co_filename)
    if not path.is_relative_to(PACKAGE):
        return None
    return path.relative_to(PACKAGE).as_posix()


def calling_file(frame: FrameType) -> str | None:
    """Return the path of the file of the nearest caller in the package; None if there is none."""
    caller = frame.f_back
    while caller is not None:
        file = package_file(caller.f_code)
        if file is not None:
            return file
        caller = caller.f_back
    return None


def best_call() -> Call:
    """Return a function that calls `ps.best` for 1,000 classes in 128 dimensions."""
    return lambda: protosphere.best(num_classes=1000, dim=128)


def head_call() -> Call:
    """Return a function that makes a `PrototypeHead`."""
    from protosphere.nn import PrototypeHead

    return lambda: PrototypeHead(100, dim=64)


def loss_call() -> Call:
    """Return a function that computes the loss of a head, which exists already."""
    import torch

    from protosphere.nn import PrototypeHead

    head = PrototypeHead(100, dim=64)
    embeddings = torch.ones(8, 64).requires_grad_()
    labels = torch.arange(8)
    return lambda: head.loss(embeddings, labels)


def train_call() -> Call:
    """Return a function that trains for one epoch with the command line."""
    from protosphere.cli import main

    return lambda: main(["train", "digits", "--scheme", "best", "--epochs", "1"])


def certify_call() -> Call:
    """Return a function that certifies the code in a file, which exists already."""
    code = protosphere.construct("uniform", num_classes=100, dim=64)
    path = Path("code.safetensors")
    code.save(path)
    return lambda: protosphere.certify(path)


WALKS: dict[str, tuple[str, Callable[[], Call]]] = {
    "best": ("best(1000, 128)", best_call),
    "head": ("PrototypeHead(100, dim=64)", head_call),
    "loss": ("PrototypeHead(100, dim=64).loss(z, y)", loss_call),
    "train": ("train digits --scheme best --epochs 1", train_call),
    "certify": ("certify(path)", certify_call),
}
"""Title of each walk, and a function that prepares the call. The preparation is not part of the walk."""


def measure(name: str) -> Walk:
    """Record a walk in a new process and return it.

    Args:
        name: Name of the walk, a key of `WALKS`.

    Raises:
        ProtosphereError: If the call fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "walk.json")
        process = subprocess.run(
            [sys.executable, "-m", "tools.walks", name, str(output)],
            cwd=REPOSITORY,
            check=False,
            capture_output=True,
            text=True,
        )
        if process.returncode != 0:
            reason = process.stderr.strip().rpartition("\n")[2]
            raise ProtosphereError(f"the walk '{name}' failed: {reason}")
        return walk_from(json.loads(output.read_text()))


def walk_here(name: str) -> Walk:
    """Record a walk in this process and in the current folder, and return it."""
    title, prepare = WALKS[name]
    call = prepare()
    recorder = Recorder()
    threading.setprofile(recorder)
    sys.setprofile(recorder)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return Walk(name, title, tuple(recorder.files), dict(recorder.calls))


def main(name: str, output: Path) -> None:
    """Record a walk in an empty folder and write it to `output`."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        walk = walk_here(name)
        os.chdir(REPOSITORY)
    output.write_text(json.dumps(walk.record()))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
