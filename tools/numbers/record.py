"""The file of a maker: its answer, and under which conditions it was made."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from protosphere.errors import StorageError
from protosphere.files import make_folder, replace_bytes
from protosphere.version import __version__
from tools.numbers.defaults import rounded
from tools.numbers.maker import Answer, Maker, Tolerance, is_number, leaves

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "results" / "numbers"

SAME_DEFAULT = Tolerance(absolute=1e-5, relative=1e-3)
"""Two machines differ by less, two defaults by more."""


def command_answer(command: str) -> Answer:
    """Run a command of a page with --json from the repository's folder, and return what it printed.

    Raises:
        StorageError: If the command fails, or prints something else than JSON.
    """
    words = shlex.split(command)
    programs = {"python": [sys.executable], "protosphere": [sys.executable, "-m", "protosphere"]}
    arguments = [*programs[words[0]], *words[1:], "--json"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": _search_path()}
    done = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise StorageError(f"'{command} --json' ended with exit code {done.returncode}: {last}")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise StorageError(f"'{command} --json' must print JSON and nothing else, got {done.stdout[:80]!r}") from error


def _search_path() -> str:
    """Return where the command finds protosphere, benchmarks and tools: this checkout first."""
    known = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, (str(ROOT / "src"), str(ROOT), known)))


def record_of(maker: Maker, answer: Answer) -> dict[str, Any]:
    """Return what the maker's file holds: the answer and its conditions."""
    return {
        "command": maker.command,
        "cost": maker.cost,
        "seeds": list(maker.seeds),
        "versions": {
            "protosphere": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "torch": torch.__version__,
        },
        "defaults": {probe.name: probe.measure() for probe in maker.depends_on},
        "answer": _shortened(answer),
    }


def _shortened(answer: Answer) -> Answer:
    """Return the answer with floats of few digits: a file that people compare line by line."""
    if isinstance(answer, dict):
        return {key: _shortened(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_shortened(value) for value in answer]
    return rounded(answer) if isinstance(answer, float) else answer


def path_of(maker: Maker) -> Path:
    """Return where the maker's file is."""
    return FOLDER / f"{maker.name}.json"


def read_record(maker: Maker) -> dict[str, Any] | None:
    """Return what the maker's file holds, None where there is none yet."""
    path = path_of(maker)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write_record(maker: Maker, record: dict[str, Any]) -> Path:
    """Write the maker's file, beside its place first."""
    make_folder(FOLDER)
    return replace_bytes(path_of(maker), (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode())


def changed_defaults(maker: Maker, record: dict[str, Any]) -> list[str]:
    """Return the defaults that are no longer what they were when the record was made, each with what differs."""
    changed: list[str] = []
    for probe in maker.depends_on:
        now, before = dict(leaves(probe.measure())), dict(leaves(record["defaults"].get(probe.name, {})))
        paths = [path for path in sorted(now.keys() | before.keys()) if _differs(before.get(path), now.get(path))]
        changed += [f"{probe.name}: {path} was {before.get(path)}, is {now.get(path)}" for path in paths]
    return changed


def _differs(before: Any, now: Any) -> bool:
    if is_number(before) and is_number(now):
        return not SAME_DEFAULT.allows(before, now)
    return before != now
