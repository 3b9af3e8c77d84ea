"""Run by test_sweep.py in a process of its own: one sweep in peace, and one killed with -9 again and again.

Imports torch once and forks: a child is at work within milliseconds, so that twenty kills take seconds. Prints one JSON
object. This process itself never computes, so that its children inherit no threads.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

from protosphere.data import load_dataset
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.store import Store
from protosphere.experiments.sweep import in_this_process, sweep
from protosphere.experiments.sweep_files import sweep_configs

import_module("protosphere.experiments.loop")  # once, before the forks
CONFIGS = sweep_configs(
    {
        "dataset": "digits",
        "epochs": 3,
        "train_images": 320,
        "grid": [
            {"schemes": ["one_hot"], "dims": [10], "seeds": [0, 1]},
            {"schemes": ["bch"], "dims": [7, 8, 15], "mappings": ["random"]},
        ],
    }
)
"""Four runs, and one that is infeasible."""


def forked(work) -> int:
    """The process id of a child that does the work and ends."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except Exception as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    os._exit(code)


def work_on(folder: Path):
    digits = load_dataset("digits")

    def work():
        for _ in sweep(CONFIGS, digits, Store(folder), in_this_process):
            pass

    return work


def finished(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def ended(folder: Path) -> dict[str, list[str | None]]:
    """What the store says of each run, and the digest of its final weights."""
    return {
        record.digest: [record.status, record.weights]
        for record in Store(folder).records()
    }


def under_fire(folder: Path, rng: random.Random, longest: float) -> int:
    """Kill the sweep at random moments until it is through; how many kills that took."""
    kills = 0
    while True:
        child = forked(work_on(folder))
        time.sleep(rng.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        if finished(child) == 0:
            return kills
        kills += 1
        if folder.exists():
            Store(folder).records()  # readable at every moment


def full_disk(folder: Path) -> int:
    """A sweep whose files may not grow beyond what half a checkpoint takes."""

    def work():
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
        work_on(folder)()

    return finished(forked(work))


def read_only(folder: Path) -> int:
    """A sweep by somebody who may not write there."""

    def work():
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        work_on(folder)()

    modes = [(path, path.stat().st_mode) for path in (folder, *folder.rglob("*"))]
    for path, mode in modes:
        path.chmod(mode & ~0o222 | 0o555)
    code = finished(forked(work))
    for path, mode in modes:
        path.chmod(mode)
    return code


def main(folder: Path, kills: int) -> None:
    folder.chmod(0o755)
    make_fabric("auto", "32-true")  # its imports take seconds: before the forks
    begun = time.monotonic()
    assert finished(forked(work_on(folder / "peace"))) == 0
    lasting = time.monotonic() - begun
    rng = random.Random(time.time_ns())
    counted = 0
    results = []
    while counted < kills:
        store = folder / f"fire{counted}"
        counted += under_fire(store, rng, lasting / 3)
        results.append(ended(store))
    codes = [full_disk(folder / "full"), read_only(folder / "peace")]
    assert finished(forked(work_on(folder / "full"))) == 0
    answer = {
        "peace": ended(folder / "peace"),
        "kills": counted,
        "fire": results,
        "codes": codes,
    }
    sys.stdout.write(json.dumps(answer | {"full": ended(folder / "full")}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
