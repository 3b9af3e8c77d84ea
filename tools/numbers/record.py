"""The record of a maker: a file with its answer and the conditions under which the answer was made."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import torch

from protosphere.storage.files import make_folder, replace_bytes
from protosphere.version import __version__
from tools.numbers.maker import STUDY, Answer, Maker, Tolerance, is_number, leaves
from tools.numbers.run import ROOT

FOLDER = ROOT / "results" / "numbers"

DIGITS = 10
"""Number of significant digits of floats in a record."""

IDLE = 0.7
"""Load average up to which a machine counts as idle."""

SAME_DEFAULT = Tolerance(absolute=1e-4, relative=5e-3)
"""Changes of a probe within this tolerance are ignored. They may come from another machine."""


def load_average() -> float | None:
    """Return the load average of the machine over the last minute; None if the system does not report it."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def record_of(
    maker: Maker,
    answer: Answer,
    before: dict[str, Any] | None = None,
    load: float | None = None,
) -> dict[str, Any]:
    """Return the record of a maker: its answer and the conditions under which the answer was made.

    Args:
        maker: The maker.
        answer: Its new answer.
        before: Its previous record, or None. If the maker is a STUDY whose tables have not changed since `before`, the
            new record keeps the defaults of `before`, because the runs were made with these defaults.
        load: Load average of the machine before the command started.
    """
    tables = {table: _digest(ROOT / table) for table in maker.tables}
    same_runs = (
        maker.cost == STUDY and before is not None and before["tables"] == tables
    )
    defaults = {probe.name: probe.measure() for probe in maker.depends_on}
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
        "load": load,
        "tables": tables,
        "defaults": before["defaults"]
        if before is not None and same_runs
        else defaults,
        "answer": _shortened(answer),
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _shortened(answer: Answer) -> Answer:
    """Return the answer with its floats rounded to `DIGITS` significant digits."""
    if isinstance(answer, dict):
        return {key: _shortened(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_shortened(value) for value in answer]
    return float(f"{answer:.{DIGITS}g}") if isinstance(answer, float) else answer


def path_of(maker: Maker) -> Path:
    """Return the path of the record of a maker."""
    return FOLDER / f"{maker.name}.json"


def read_record(maker: Maker) -> dict[str, Any] | None:
    """Return the record of a maker; None if there is none yet."""
    path = path_of(maker)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write_record(maker: Maker, record: dict[str, Any]) -> Path:
    """Write the record of a maker, replacing the old file atomically, and return its path."""
    make_folder(FOLDER)
    return replace_bytes(
        path_of(maker),
        (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode(),
    )


def made_while_busy(maker: Maker, record: dict[str, Any]) -> bool:
    """Return whether the record has times that were measured at a load average above `IDLE`."""
    return maker.timed and record["load"] is not None and record["load"] > IDLE


def changed_defaults(maker: Maker, record: dict[str, Any]) -> list[str]:
    """Return a text for each number of a probe that has changed since the record was made.

    A text names the probe and the number, with its old and its new value.
    """
    changed: list[str] = []
    for probe in maker.depends_on:
        now = dict(leaves(probe.measure()))
        before = dict(leaves(record["defaults"].get(probe.name, {})))
        paths = [
            path
            for path in sorted(now.keys() | before.keys())
            if _differs(before.get(path), now.get(path))
        ]
        changed += [
            f"{probe.name}: {path} was {before.get(path)}, is {now.get(path)}"
            for path in paths
        ]
    return changed


def _differs(before: Any, now: Any) -> bool:
    if is_number(before) and is_number(now):
        return not SAME_DEFAULT.allows(before, now)
    return before != now
