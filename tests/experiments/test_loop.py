"""One run: it learns, it depends on its config alone, and it goes on where it stopped, bit for bit."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from protosphere.data import Dataset
from protosphere.errors import InvalidArgumentError, StorageError, TrainingError
from protosphere.experiments import batches, load_config
from protosphere.experiments.batches import Share, device_data, training_batches
from protosphere.experiments.checkpoint import CHECKPOINT_FILE
from protosphere.experiments.epochs import read_metrics
from protosphere.experiments.models import WEIGHTS_FILE
from protosphere.experiments.randomness import GLOBAL_NUMPY
from protosphere.experiments.run import run, run_or_reason


class StopHereError(Exception):
    """Stands for whatever ends a run."""


def stop_after(epoch):
    def report(metrics):
        if metrics.epoch == epoch:
            raise StopHereError

    return report


def test_it_learns(digits, tmp_path, fabric):
    config = load_config("quick-digits").changed(
        scheme="bch", dim=15, epochs=12, lr=0.1
    )
    record = run(config, digits, tmp_path, fabric, tensorboard=False)
    assert record.status == "done"
    assert record.test_accuracy > 0.85
    assert record.max_cosine == 1 / 15
    assert [metrics.epoch for metrics in read_metrics(tmp_path)] == list(range(1, 13))
    assert (tmp_path / WEIGHTS_FILE).is_file()


def test_a_sweep_looks_at_what_is_held_out_in_the_end_alone(
    digits, tiny, tmp_path, fabric
):
    watched = run(tiny, digits, tmp_path / "watched", fabric, tensorboard=False)
    swept = run_or_reason(tiny, digits, tmp_path / "swept", "auto")
    looks = [
        metrics.validation_accuracy is not None
        for metrics in read_metrics(tmp_path / "swept")
    ]
    assert looks == [False, False, True]
    assert all(
        metrics.validation_accuracy is not None
        for metrics in read_metrics(tmp_path / "watched")
    )
    assert replace(swept, seconds=None, images_per_second=None) == replace(
        watched, seconds=None, images_per_second=None
    ), "looking changes nothing"


class WithDropout(nn.Sequential):
    """A user's network that draws from the global generator."""

    def __init__(self, dim):
        super().__init__(
            nn.Flatten(),
            nn.Linear(64, 40),
            nn.BatchNorm1d(40),
            nn.ReLU(),
            nn.Dropout(),
            nn.Linear(40, dim),
        )


@pytest.fixture
def dropout(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    return "mine.WithDropout"


@pytest.mark.parametrize("stop", [1, 2])
def test_a_run_that_stopped_ends_with_the_same_bits(
    digits, tiny, tmp_path, fabric, dropout, stop
):
    config = tiny.changed(
        backbone=dropout,
        scheme="log_sum_exp",
        dim=5,
        scheme_options={"steps": 20},
        mapping="random",
    )
    whole = run(config, digits, tmp_path / "whole", fabric, tensorboard=False)
    with pytest.raises(StopHereError):
        run(
            config,
            digits,
            tmp_path / "parts",
            fabric,
            report=stop_after(stop),
            tensorboard=False,
        )
    torch.manual_seed(99)
    random.seed(99)
    again = run(config, digits, tmp_path / "parts", fabric, tensorboard=False)
    assert again.weights == whole.weights
    assert (again.test_accuracy, again.loss) == (whole.test_accuracy, whole.loss)
    assert (tmp_path / "parts" / WEIGHTS_FILE).read_bytes() == (
        tmp_path / "whole" / WEIGHTS_FILE
    ).read_bytes()


def test_the_papers_config_for_cifar_takes_steps(tmp_path, fabric):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (15, 3, 32, 32), dtype=np.uint8)
    labels = rng.integers(0, 100, 15)
    data = Dataset(
        "cifar100", images, labels, images[:4], labels[:4], tuple(map(str, range(100)))
    )
    config = load_config("paper-cifar100").changed(
        scheme="bch", dim=63, epochs=1, batch_size=4, threads=1
    )
    record = run(
        config, data, tmp_path, fabric, tensorboard=False
    )  # 12 images left to train on: three steps
    assert record.status == "done"
    assert np.isfinite(record.loss)


def test_every_part_of_the_config_matters(digits, tiny, tmp_path, fabric):
    changes = [
        {},
        {"seed": 1},
        {"mapping": "random"},
        {"lr": 0.06},
        {"pad": 1},
        {"schedule": "constant"},
    ]
    changes += [
        {"preset": "mettes"},
        {"preset": "lindstrom"},
        {"loss": "dot_regression"},
        {"scale": 3.0},
    ]
    changes += [
        {"head": "bottleneck"},
        {"optimizer": "adamw"},
        {"warmup": 0.5},
        {"weight_decay": 0.0},
        {"momentum": 0.5},
        {"batch_size": 32},
    ]
    found = {
        run(
            tiny.changed(epochs=2, **change),
            digits,
            tmp_path / str(i),
            fabric,
            tensorboard=False,
        ).weights
        for i, change in enumerate(changes)
    }
    assert len(found) == len(changes)


def test_augmented_validation_changes_what_is_seen_and_not_the_weights(
    digits, tiny, tmp_path, fabric
):
    config = tiny.changed(train_images=0, epochs=6)
    plain = run(config, digits, tmp_path / "plain", fabric, tensorboard=False)
    theirs = run(
        config.changed(augment_validation=True),
        digits,
        tmp_path / "theirs",
        fabric,
        tensorboard=False,
    )
    assert plain.weights == theirs.weights
    plain_seen, theirs_seen = (
        [metrics.validation_accuracy for metrics in read_metrics(tmp_path / name)]
        for name in ("plain", "theirs")
    )
    assert plain_seen != theirs_seen


def test_the_callers_randomness_is_left_alone(digits, tiny, tmp_path, fabric):
    random.seed(5)
    torch.manual_seed(5)
    GLOBAL_NUMPY.seed(5)
    expected = random.getstate(), torch.get_rng_state(), GLOBAL_NUMPY.get_state()[1]
    run(tiny.changed(epochs=1), digits, tmp_path, fabric, tensorboard=False)
    assert random.getstate() == expected[0]
    assert torch.equal(torch.get_rng_state(), expected[1])
    assert np.array_equal(GLOBAL_NUMPY.get_state()[1], expected[2])


def test_a_loss_that_is_no_number_stops_and_keeps_the_checkpoint(
    digits, tiny, tmp_path, fabric, monkeypatch
):
    config = tiny.changed(epochs=4)
    good = batches.training_batches

    def poisoned(data, plan, epoch, part):
        for inputs, labels, whole in good(data, plan, epoch, part):
            yield inputs * (float("nan") if epoch == 2 else 1.0), labels, whole

    monkeypatch.setattr("protosphere.experiments.loop.training_batches", poisoned)
    with pytest.raises(
        TrainingError,
        match="the loss is nan in epoch 3; the checkpoint of epoch 2 is kept",
    ):
        run(config, digits, tmp_path, fabric, tensorboard=False)
    monkeypatch.undo()
    assert len(read_metrics(tmp_path)) == 2
    resumed = run(config, digits, tmp_path, fabric, tensorboard=False)
    whole = run(config, digits, tmp_path / "whole", fabric, tensorboard=False)
    assert resumed.weights == whole.weights


def test_another_config_or_a_damaged_checkpoint_is_refused(
    digits, tiny, tmp_path, fabric
):
    run(tiny, digits, tmp_path, fabric, tensorboard=False)
    with pytest.raises(InvalidArgumentError, match="holds a run of another config"):
        run(tiny.changed(seed=7), digits, tmp_path, fabric, tensorboard=False)
    path = tmp_path / CHECKPOINT_FILE
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(
        StorageError, match="damaged or not a checkpoint; remove it to start again"
    ):
        run(tiny, digits, tmp_path, fabric, tensorboard=False)


def test_what_cannot_be_done_is_a_record(digits, tiny, tmp_path):
    infeasible = run_or_reason(
        tiny.changed(scheme="bch", dim=8), digits, tmp_path / "a", "auto"
    )
    assert (infeasible.status, infeasible.reason.split(";")[0]) == (
        "infeasible",
        "'bch' needs dim = 2**m - 1, got 8",
    )
    failed = run_or_reason(tiny.changed(lr=1e30), digits, tmp_path / "b", "auto")
    assert failed.status == "failed"
    assert "the loss is" in failed.reason


def test_tensorboard_where_installed(digits, tiny, tmp_path, fabric):
    pytest.importorskip("tensorboard")
    run(tiny.changed(epochs=1), digits, tmp_path, fabric)
    assert list((tmp_path / "tensorboard").iterdir())


def test_metrics_are_json_lines(digits, tiny, tmp_path, fabric):
    run(tiny.changed(validation=0.0), digits, tmp_path, fabric, tensorboard=False)
    lines = [
        json.loads(line)
        for line in (tmp_path / "metrics.jsonl").read_text().splitlines()
    ]
    assert [line["epoch"] for line in lines] == [1, 2, 3]
    assert lines[0]["validation_accuracy"] is None
    assert lines[0]["lr"] == tiny.lr


def test_parts_of_a_batch_make_the_whole(digits, tiny):
    data = device_data(digits, tiny, torch.device("cpu"))
    whole = list(training_batches(data, tiny, 1, Share()))
    parts = [list(training_batches(data, tiny, 1, Share(rank, 3))) for rank in range(3)]
    for number, (inputs, labels, _) in enumerate(whole):
        assert torch.equal(inputs, torch.cat([part[number][0] for part in parts]))
        assert torch.equal(labels, torch.cat([part[number][1] for part in parts]))
    assert sum(len(labels) for _, labels, _ in whole) == len(data.train)


def test_the_split_is_a_split(digits):
    config = load_config("quick-digits")
    one, two = (
        device_data(digits, config.changed(seed=seed), torch.device("cpu"))
        for seed in (0, 1)
    )
    assert (len(one.train), len(one.validation), len(one.test)) == (1038, 259, 500)
    assert not torch.equal(one.validation.inputs, two.validation.inputs)
    seen = one.normalized(one.train.inputs)
    assert abs(float(seen.mean())) < 1e-4
    assert abs(float(seen.std()) - 1) < 1e-3
