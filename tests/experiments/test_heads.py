"""Heads of every kind in one trainer: which laws join them, what is learned, and how large they may be."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.heads import build_head, build_objective
from protosphere.experiments.optimization import build_optimizer
from protosphere.experiments.run import constructed, run, run_or_reason
from protosphere.nn import LOSSES


def test_one_hot_prototypes_are_a_learned_layer(digits, tiny, tmp_path, fabric):
    config = tiny.changed(scheme="one_hot", preset="lindstrom")
    one_hot = run(config, digits, tmp_path / "a", fabric, tensorboard=False)
    linear = run(
        tiny.changed(head="linear"), digits, tmp_path / "b", fabric, tensorboard=False
    )
    assert linear.weights == one_hot.weights
    assert linear.max_cosine is None
    assert one_hot.max_cosine == 0


@pytest.mark.parametrize(
    ("preset", "loss", "lr"),
    [
        *(
            ("protosphere", loss, 0.02 if "scale" in LOSSES[loss].options else 0.1)
            for loss in LOSSES
        ),
        *(
            ("lindstrom", "auto", 0.1),
            ("kasarla", "auto", 1.0),
            ("mettes", "auto", 0.1),
        ),
    ],
)
def test_every_loss_and_preset_learns(digits, tmp_path, preset, loss, lr):
    settings = {"scheme": "simplex", "dim": 9, "preset": preset, "loss": loss, "lr": lr}
    config = TrainingConfig(epochs=5, batch_size=64, threads=1, **settings)
    record = run_or_reason(config, digits, tmp_path, "auto")
    assert record.status == "done", record.reason
    assert record.test_accuracy > 0.4


def test_a_bottleneck_learns_both_layers(digits, fabric, tmp_path):
    config = TrainingConfig(
        head="bottleneck", dim=5, epochs=10, batch_size=64, threads=1
    )
    record = run(config, digits, tmp_path, fabric, tensorboard=False)
    assert record.test_accuracy > 0.8
    head = build_head(config, 10, None)
    assert (head.in_features, head.out_features, head.bias is not None) == (5, 10, True)


def test_a_linear_head_has_as_many_dimensions_as_classes(
    digits, tiny, fabric, tmp_path
):
    with pytest.raises(
        InvalidArgumentError,
        match="'dim' of a linear head must be the number of classes, 10, got 7",
    ):
        run(tiny.changed(head="linear", dim=7), digits, tmp_path, fabric)


@pytest.mark.parametrize("loss", LOSSES)
def test_objectives_are_the_losses_of_nn(loss):
    config = TrainingConfig(
        scheme="cross_polytope", dim=5, preset="protosphere", loss=loss
    )
    head = build_head(config, 10, constructed(config, 10))
    z = torch.randn(12, 5)
    labels = torch.arange(12) % 10
    total, correct = build_objective(config, head)(z, labels)
    torch.testing.assert_close(total / 12, LOSSES[loss].module(head)(z, labels))
    assert int(correct) == int((head(z).argmax(1) == labels).sum())
    nothing, none = build_objective(config, head)(z[:0], labels[:0])
    assert (float(nothing), int(none)) == (0.0, 0)


def test_a_step_that_streams_is_the_step_that_does_not(
    monkeypatch, digits, tiny, tmp_path, fabric
):
    config = tiny.changed(scheme="kerdock", dim=16, preset="protosphere", epochs=2)
    held = run(config, digits, tmp_path / "held", fabric, tensorboard=False)
    monkeypatch.setattr("protosphere.experiments.heads.LARGEST_LOGITS", 1)
    streamed = run(config, digits, tmp_path / "streamed", fabric, tensorboard=False)
    assert streamed.weights != held.weights, "or the other way was not taken"
    assert streamed.loss == pytest.approx(held.loss, rel=1e-4)
    assert streamed.test_accuracy == pytest.approx(held.test_accuracy, abs=0.01)
    for name, value in held.metrics.items():
        assert streamed.metrics[name] == pytest.approx(value, abs=0.02), name


def test_a_learned_scale_is_learned(digits, tiny, tmp_path, fabric):
    plain, learned = (
        run(
            tiny.changed(preset="protosphere", scale=scale),
            digits,
            tmp_path / scale,
            fabric,
            tensorboard=False,
        )
        for scale in ("auto", "learn")
    )
    assert plain.weights != learned.weights


def test_optimizers_have_the_settings_of_the_config():
    weights = [torch.nn.Parameter(torch.zeros(3))]
    adamw = build_optimizer(
        TrainingConfig(optimizer="adamw", lr=0.01, momentum=0.8, weight_decay=0.1),
        weights,
    )
    assert (type(adamw), adamw.defaults["betas"]) == (torch.optim.AdamW, (0.8, 0.999))
    assert (adamw.defaults["lr"], adamw.defaults["weight_decay"]) == (0.01, 0.1)


def test_a_warm_up_begins_low_and_ends_at_the_rate(
    digits, tiny, tmp_path, fabric, monkeypatch
):
    seen = []
    from protosphere.experiments import loop as training

    monkeypatch.setattr(training, "set_rate", lambda optimizer, rate: seen.append(rate))
    config = tiny.changed(
        warmup=1.5, epochs=3, lr=0.3, schedule="constant", validation=0.0, batch_size=64
    )
    run(config, digits, tmp_path, fabric, tensorboard=False)
    expected = [0.3 * min(1.0, step / 4 / 1.5) for step in range(1, 9)]
    assert seen == pytest.approx([*expected[:4], 0.3, *expected[4:], 0.3, 0.3])


HUGE = """
import resource, sys
from pathlib import Path
from protosphere.data import load_dataset
from protosphere.experiments.devices import make_fabric
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.run import run
data = load_dataset(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
head = {"scheme": "delsarte_goethals", "dim": 256, "preset": "protosphere"}
config = TrainingConfig(dataset=sys.argv[1], backbone="linear", epochs=1, batch_size=256, train_images=768, threads=1,
                validation=0.0, **head)
record = run(config, data, Path(sys.argv[2]), make_fabric("cpu", "32-true"), tensorboard=False)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
likelihood = record.metrics["test_negative_log_likelihood"]
print(data.num_classes, record.status, record.loss, likelihood, (after - before) // 1024)
"""


def test_a_hundred_thousand_classes_train_in_little_memory(tmp_path):
    K = 100_000
    rng = np.random.default_rng(0)
    x = rng.standard_normal((K, 16), dtype=np.float32)
    y = np.arange(K)
    np.savez(
        tmp_path / "huge.npz", x_train=x, y_train=y, x_test=x[:200], y_test=y[:200]
    )
    command = [
        sys.executable,
        "-c",
        HUGE,
        str(tmp_path / "huge.npz"),
        str(tmp_path / "run"),
    ]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    classes, status, loss, likelihood, megabytes = ended.stdout.split()
    assert (classes, status) == ("100000", "done")
    assert float(loss) == pytest.approx(np.log(K), rel=0.2)
    assert float(likelihood) == pytest.approx(np.log(K), rel=0.2)
    assert int(megabytes) < 500, (
        "a batch's logits alone are 100 MB, their gradients as much again"
    )
