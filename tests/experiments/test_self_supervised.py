"""Runs without labels: every objective trains, resumes with the same bits, and is judged by features alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from protosphere.errors import InvalidArgumentError
from protosphere.experiments import load_config
from protosphere.experiments.batches import Share, device_data
from protosphere.experiments.config import config_from
from protosphere.experiments.models import load_model
from protosphere.experiments.objectives import OBJECTIVES
from protosphere.experiments.representation import fit_probe, knn_accuracy
from protosphere.experiments.run import run
from protosphere.experiments.self_supervised import num_prototypes, view_batches

HEADS = [
    (objective.name, head)
    for objective in OBJECTIVES.values()
    for head in ("prototypes", "bottleneck")
    if head == "prototypes" or objective.learned
]


def small(objective: str, head: str = "prototypes"):
    settings = load_config("quick-digits").record() | {
        "objective": objective,
        "head": head,
        "dim": 8,
        "epochs": 3,
        "batch_size": 64,
        "train_images": 320,
    }
    if not OBJECTIVES[objective].targets_per_image:
        settings["num_prototypes"] = 24
    return config_from(settings)


@pytest.mark.parametrize(("objective", "head"), HEADS)
def test_every_objective_lowers_its_loss_and_has_the_metrics_of_features(
    objective, head, digits, tmp_path, fabric
):
    losses = []
    record = run(
        small(objective, head),
        digits,
        tmp_path,
        fabric,
        report=lambda metrics: losses.append(metrics.loss),
        tensorboard=False,
    )
    assert losses[-1] < losses[0]
    assert record.status == "done"
    assert record.test_accuracy is not None
    assert record.test_accuracy > 0.3
    assert record.metrics["test_linear_probe_accuracy"] > 0.3
    in_use = record.metrics["test_prototypes_in_use"]
    assert 1 <= record.metrics["test_prototype_perplexity"] <= in_use


@pytest.mark.parametrize(("objective", "head"), HEADS)
def test_resumed_run_has_the_weights_of_an_uninterrupted_one(
    objective, head, digits, tmp_path, fabric
):
    class StoppedError(Exception):
        pass

    def stop(metrics):
        if metrics.epoch == 1:
            raise StoppedError

    config = small(objective, head)
    with pytest.raises(StoppedError):
        run(config, digits, tmp_path / "a", fabric, report=stop, tensorboard=False)
    resumed = run(config, digits, tmp_path / "a", fabric, tensorboard=False)
    whole = run(config, digits, tmp_path / "b", fabric, tensorboard=False)
    assert resumed.weights == whole.weights
    assert resumed.test_accuracy == whole.test_accuracy


def test_loaded_model_gives_the_features(digits, tmp_path, fabric):
    run(small("swav"), digits, tmp_path, fabric, tensorboard=False)
    model = load_model(tmp_path)
    features = model(torch.tensor(digits.x_test[:5]))
    assert features.shape == (5, 256)
    assert bool(features.isfinite().all())


def test_processes_together_see_the_views_of_one(digits):
    config = small("swav")
    data = device_data(digits, config, torch.device("cpu"))
    whole = list(view_batches(data, config, 0, Share()))
    halves = [list(view_batches(data, config, 0, Share(rank, 2))) for rank in range(2)]
    for k, (views, rows, count) in enumerate(whole):
        parts = [half[k] for half in halves]
        assert torch.equal(torch.cat([part[1] for part in parts]), rows)
        first = torch.cat([part[0].chunk(2)[0] for part in parts])
        torch.testing.assert_close(first, views.chunk(2)[0])
        assert {part[2] for part in parts} == {count}


def test_noise_has_one_target_per_training_image(digits):
    config = small("noise_as_targets")
    data = device_data(digits, config, torch.device("cpu"))
    assert num_prototypes(config, digits) == len(data.train)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objective": "byol"}, "'byol'"),
        ({"objective": "swav", "head": "linear"}, "got 'linear'"),
        ({"objective": "swav", "mapping": "align"}, "no classes"),
        ({"objective": "swav", "loss": "dot_regression"}, "'loss' goes with"),
        ({"objective": "swav", "objective_options": {"x": 1}}, "its options are"),
        ({"objective": "noise_as_targets", "head": "bottleneck"}, "fixed prototypes"),
        ({"temperature": 0.2}, "'temperature' goes with a self-supervised objective"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InvalidArgumentError, match=message):
        config_from(settings)


def test_features_without_pixels_are_refused(features, tmp_path, fabric):
    from protosphere.data import load_dataset

    config = small("swav").changed(dataset=features, train_images=0)
    with pytest.raises(InvalidArgumentError, match="compares views of images"):
        run(config, load_dataset(features), tmp_path, fabric, tensorboard=False)


def test_nearest_neighbors_vote_as_a_loop_over_all_pairs_does():
    rng = np.random.default_rng(0)
    known = rng.standard_normal((80, 5))
    features = rng.standard_normal((30, 5))
    known_labels = rng.integers(0, 4, 80)
    labels = rng.integers(0, 4, 30)
    correct = 0
    for row, label in zip(features, labels, strict=True):
        cosines = known @ row
        cosines /= np.linalg.norm(known, axis=1) * np.linalg.norm(row)
        votes = np.zeros(4)
        for i in np.argsort(-cosines)[:50]:
            votes[known_labels[i]] += np.exp(cosines[i] / 0.07)
        correct += int(votes.argmax() == label)
    found = knn_accuracy(
        torch.tensor(known),
        torch.tensor(known_labels),
        torch.tensor(features),
        torch.tensor(labels),
        4,
    )
    assert found == pytest.approx(correct / 30)


def test_linear_probe_separates_what_a_line_separates():
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(600, 6, generator=generator)
    labels = (features[:, 0] - 2 * features[:, 3] > 0.3).long()
    probe = fit_probe(features[:400], labels[:400], 2)
    right = (probe(features[400:]).argmax(1) == labels[400:]).double().mean()
    assert float(right) > 0.9


@pytest.mark.parametrize("momentum", [2, -1, "0.5", True])
def test_the_weight_of_the_old_teacher_is_from_0_to_1(
    momentum, digits, tmp_path, fabric
):
    wrong = small("dino").changed(objective_options={"teacher_momentum": momentum})
    with pytest.raises(
        InvalidArgumentError, match="'teacher_momentum' must be a number from 0 to 1"
    ):
        run(wrong, digits, tmp_path, fabric, tensorboard=False)
