"""States go from one processor to another: the prototypes are those that were trained with, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import protosphere as ps
from protosphere.nn import PrototypeHead

OTHER = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    "OMP_NUM_THREADS": "1",
    "NUMBA_CPU_NAME": "generic",
}
"""An older processor, as far as the libraries can be told so, and one thread."""

REQUESTS = {
    "lattice": {"num_classes": 100, "dim": 24},
    "frame": {"num_classes": 300, "dim": 60},
    "log_sum_exp": {
        "num_classes": 30,
        "dim": 12,
        "scheme": "log_sum_exp",
        "options": {"steps": 200},
    },
    "mean_row_max": {
        "num_classes": 30,
        "dim": 12,
        "scheme": "mean_row_max",
        "options": {"steps": 200},
    },
    "uniform": {
        "num_classes": 30,
        "dim": 12,
        "scheme": "uniform",
        "reserve": 60,
    },
}


def write(folder):
    """A state of each, and the prototypes beside it."""
    for name, request in REQUESTS.items():
        head = PrototypeHead(**request)
        torch.save((dict(head.state_dict()), head.prototypes()), folder / f"{name}.pt")


def differences(folder):
    """What does not come back of the states in a folder: into a head of the same request, and by itself."""
    wrong = []
    for path in sorted(folder.glob("*.pt")):
        state, rows = torch.load(path, weights_only=True)
        heads = [PrototypeHead.from_state_dict(state)]
        if path.stem in REQUESTS:
            heads.append(PrototypeHead(**REQUESTS[path.stem]))
            heads[-1].load_state_dict(state)
        wrong += [
            path.stem for head in heads if not torch.equal(head.prototypes(), rows)
        ]
    return wrong


def main(theirs, mine):
    """In the other process: one processor only, where there are several to choose from."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    write(mine)
    sys.exit(", ".join(differences(theirs)) or 0)


@pytest.mark.slow
def test_states_are_read_by_other_processors_and_theirs_by_this_one(tmp_path):
    here = tmp_path / "here"
    there = tmp_path / "there"
    here.mkdir()
    there.mkdir()
    write(here)
    searched = PrototypeHead(ps.best(num_classes=30, dim=4, budget=1.2))
    torch.save((dict(searched.state_dict()), searched.prototypes()), here / "budget.pt")
    run = subprocess.run(
        [sys.executable, __file__, here, there],
        env=os.environ | OTHER,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert differences(there) == []


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
