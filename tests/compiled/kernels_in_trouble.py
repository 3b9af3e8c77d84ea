"""Run by test_kernel_cache.py in a process of its own: loops compiled where caches are missing, full or damaged.

Imports numba once and forks: each child imports the kernels anew and calls one. Prints one JSON object.
"""

from __future__ import annotations

import json
import logging
import os
import random
import resource
import sys
import tempfile
import warnings
from pathlib import Path

import numba
import numpy as np

import protosphere

assert protosphere.__version__, "loaded before the forks"
warnings.simplefilter("error")
ONES = np.ones(3)


def nearly_full_disk() -> None:
    """No file may be longer than 1,000 bytes from now on."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))


def child(where: Path | None = None, home: Path | None = None, before=None) -> dict:
    """What the smallest kernel gives in a fresh process, how often it was loaded, what was logged, what was kept."""
    reading, writing = os.pipe()
    if pid := os.fork():
        os.close(writing)
        os.waitpid(pid, 0)
        with os.fdopen(reading, encoding="utf-8") as answer:
            return json.loads(answer.read() or "null")
    try:
        if home is not None:
            os.environ.pop("XDG_CACHE_HOME", None)
            os.environ["HOME"] = str(home)
        numba.config.CACHE_DIR = str(where or "")
        said = []
        logging.getLogger("protosphere").addHandler(
            type(
                "Kept",
                (logging.Handler,),
                {"emit": lambda _, r: said.append(r.getMessage())},
            )()
        )
        from protosphere.compiled.kernel_cache import kernel_folder
        from protosphere.search.compiled_energy import add, dot

        if before is not None:
            before()
        value = dot(ONES, ONES)
        if before is not None:
            add(ONES.copy(), 1.0, ONES)  # a second one to keep
        loaded = sum(dot.stats.cache_hits.values())
        folder = kernel_folder()
        files = sorted(path.name for path in folder.iterdir()) if folder else None
        answer = {
            "value": value,
            "loaded": loaded,
            "said": said,
            "files": files,
            "folder": str(folder),
        }
        os.write(writing, json.dumps(answer).encode())
    finally:
        os._exit(0)


def damaged(path: Path) -> list[dict]:
    good = path.read_bytes()
    rng = random.Random(0)
    flipped = bytearray(good)
    for _ in range(20):
        flipped[rng.randrange(len(good))] ^= 255
    answers = []
    for bad in (b"", good[:-1], bytes(len(good)), bytes(flipped)):
        path.write_bytes(bad)
        answers.append(
            child(path.parents[3]) | {"mended": path.read_bytes()[-32:] == good[-32:]}
        )
    return answers


def at_once(where: Path, count: int) -> list[dict]:
    """As many processes that all wait for a file, then compile."""
    gate = where.parent / "gate"
    pids = []
    pipes = []
    for _ in range(count):
        reading, writing = os.pipe()
        if pid := os.fork():
            os.close(writing)
            pids.append(pid)
            pipes.append(reading)
            continue
        while not gate.exists():
            pass
        os.write(writing, json.dumps(child(where)).encode())
        os._exit(0)
    gate.touch()
    for pid in pids:
        os.waitpid(pid, 0)
    return [json.loads(os.read(reading, 1 << 16)) for reading in pipes]


def main(folder: Path) -> None:
    numba.njit(lambda x: x)(1)  # what numba sets up once
    answers = {}
    (folder / "file").touch()
    answers["nowhere"] = child(None, folder / "file" / "home")
    answers["not a folder"] = child(folder / "file" / "cache")
    answers["first"] = child(folder / "cache")
    answers["second"] = child(folder / "cache")
    answers["home"] = child(None, folder / "home")
    answers["full"] = child(folder / "full", before=nearly_full_disk)
    place = Path(answers["first"]["folder"])
    answers["damaged"] = damaged(
        next(path for path in place.iterdir() if ".dot." in path.name)
    )
    place.chmod(0o777)
    answers["others"] = child(folder / "cache")
    answers["at once"] = at_once(folder / "eight", 8)
    answers["after"] = child(folder / "eight")
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main(Path(tempfile.mkdtemp(dir=sys.argv[1])))
