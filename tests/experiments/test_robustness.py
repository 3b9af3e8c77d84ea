"""What users and other processes do to runs: two in one folder, networks that raise, files that were changed."""

from __future__ import annotations

import json

import pytest
import torch

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.checkpoint import CHECKPOINT_FILE
from protosphere.experiments.epochs import read_metrics
from protosphere.experiments.record import record_from
from protosphere.experiments.run import run
from protosphere.experiments.store import Store
from protosphere.experiments.sweep import in_this_process, sweep
from protosphere.storage.files import locked

RAISING = """
from torch import nn

class Network(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = nn.Linear(64, dim)

    def forward(self, x):
        if self.training:
            raise KeyError("weights")
        return self.linear(x.flatten(1))
"""


def test_a_second_run_in_the_same_folder_is_refused(digits, tiny, tmp_path, fabric):
    def again(metrics):
        if metrics.epoch == 2:
            with pytest.raises(
                StorageError,
                match="is in use by another run; wait for it, or choose another folder",
            ):
                run(tiny, digits, tmp_path, fabric, tensorboard=False)

    whole = run(tiny, digits, tmp_path, fabric, report=again, tensorboard=False)
    assert [metrics.epoch for metrics in read_metrics(tmp_path)] == [1, 2, 3], (
        "none is there twice"
    )
    assert (
        run(tiny, digits, tmp_path, fabric, tensorboard=False).weights == whole.weights
    )


def test_a_refused_sweep_leaves_the_first_ones_files_alone(digits, tiny, tmp_path):
    store = Store(tmp_path)
    with store.locked():
        half = store.record_folder / ".a.json.part"
        half.write_text("{")
        with pytest.raises(StorageError, match="in use by another sweep"):
            next(sweep([tiny], digits, Store(tmp_path), in_this_process))
        assert half.read_text() == "{"


def test_a_network_that_raises_stops_nothing(digits, tiny, tmp_path, monkeypatch):
    (tmp_path / "raising_network.py").write_text(RAISING)
    monkeypatch.chdir(tmp_path)
    plan = [tiny.changed(backbone="raising_network.Network"), tiny.changed(epochs=1)]
    records = list(sweep(plan, digits, Store(tmp_path / "store"), in_this_process))
    assert [record.status for record in records] == ["failed", "done"]
    assert records[0].reason == "KeyError: 'weights'"
    assert len(Store(tmp_path / "store").records()) == 2


@pytest.mark.parametrize("part", ["model", "optimizer", "schedule", "random", "head"])
def test_a_checkpoint_of_something_else_is_one_sentence(
    digits, tiny, tmp_path, fabric, part
):
    config = tiny.changed(head="bottleneck", dim=4)
    run(config, digits, tmp_path, fabric, tensorboard=False)
    path = tmp_path / CHECKPOINT_FILE
    content = torch.load(path, weights_only=True)
    content[part] = {"other": torch.zeros(2)}
    torch.save(content, path)
    with pytest.raises(
        InvalidArgumentError,
        match=r"does not fit its config .*; remove it to start again",
    ):
        run(config, digits, tmp_path, fabric, tensorboard=False)


@pytest.mark.parametrize(
    ("generator", "place", "value"),
    [("numpy", 2, 625), ("numpy", 2, -1), ("python", 0, 4), ("python", 1, [-1] * 625)],
)
def test_a_checkpoint_with_a_generator_that_is_none_is_one_sentence(
    digits, tiny, tmp_path, fabric, generator, place, value
):
    run(tiny, digits, tmp_path, fabric, tensorboard=False)
    content = torch.load(tmp_path / CHECKPOINT_FILE, weights_only=True)
    content["random"][generator][place] = value
    torch.save(content, tmp_path / CHECKPOINT_FILE)
    with pytest.raises(
        InvalidArgumentError,
        match=r"does not fit its config .*; remove it to start again",
    ):
        run(tiny, digits, tmp_path, fabric, tensorboard=False)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"config": [1, 2]}, "a config must be settings with their names"),
        ({"config": {"scheme_options": [1]}}, "'scheme_options' must be options"),
        (
            {"test_accuracy": "high"},
            "test_accuracy must be a finite number, got 'high'",
        ),
        ({"metrics": [1]}, "metrics must be numbers with their names"),
        (
            {"metrics": {"test_top5_accuracy": []}},
            "test_top5_accuracy must be a finite number",
        ),
        ({"loss": float("nan")}, "loss must be a finite number, got nan"),
        ({"loss": 10**400}, "loss must be a finite number"),
        ({"status": 3}, "status must be a text"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_records_that_are_none(digits, tiny, tmp_path, fabric, changed, complaint):
    record = json.loads(
        run(
            tiny.changed(epochs=1), digits, tmp_path, fabric, tensorboard=False
        ).to_json()
    )
    with pytest.raises(
        StorageError, match=f"'here' is not the record of a run: .*{complaint}"
    ):
        record_from(record | changed, "here")


def test_the_lock_is_that_of_the_folder(tmp_path, digits, tiny, fabric):
    with (
        locked(tmp_path, "run"),
        pytest.raises(StorageError, match="in use by another run"),
    ):
        run(tiny, digits, tmp_path, fabric, tensorboard=False)
