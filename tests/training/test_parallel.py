"""Two processes that share each batch, against one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from protosphere.training import load_recipe
from protosphere.training.epochs import read_metrics
from protosphere.training.runs import run

SETTINGS = {"epochs": 3, "scheme": "simplex", "dim": 9, "train_images": 500, "batch_size": 63}


def test_two_processes_give_the_loss_curve_of_one(digits, fabric, tmp_path):
    run(load_recipe("quick-digits").changed(**SETTINGS), digits, tmp_path / "one", fabric, tensorboard=False)
    flags = [word for name, value in SETTINGS.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words = ["train", "digits", *flags, "--devices", "2", "--output", str(tmp_path / "two")]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1"}
    command = [sys.executable, "-m", "protosphere", *words]
    for _ in range(2):  # on a busy machine gloo has been seen to abort a process that was done
        ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240, check=False)
        if "SIGABRT" not in ended.stderr:
            break
    assert ended.returncode == 0, ended.stderr[-2000:]
    one, two = (read_metrics(tmp_path / name) for name in ("one", "two"))
    assert len(one) == 3
    assert [epoch.loss for epoch in two] == pytest.approx([epoch.loss for epoch in one], abs=1e-4)
