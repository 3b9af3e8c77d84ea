"""Metrics against their definitions, written out one example at a time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.assignment import severity
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.metrics import METRICS, Predictions, metric
from protosphere.experiments.record import record_from_row
from protosphere.experiments.run import run

K = 7


def naive_accuracy(probabilities, labels):
    return np.mean(
        [
            row.argmax() == label
            for row, label in zip(probabilities, labels, strict=True)
        ]
    )


def naive_top5(probabilities, labels):
    return np.mean(
        [
            label in np.argsort(-row)[:5]
            for row, label in zip(probabilities, labels, strict=True)
        ]
    )


def naive_likelihood(probabilities, labels):
    return np.mean(
        [
            -math.log(row[label])
            for row, label in zip(probabilities, labels, strict=True)
        ]
    )


def naive_calibration(probabilities, labels):
    error = 0.0
    for low in range(15):
        inside = [
            i
            for i, row in enumerate(probabilities)
            if low / 15 <= row.max() < (low + 1) / 15 + (low == 14)
        ]
        if inside:
            confidence = np.mean([probabilities[i].max() for i in inside])
            right = np.mean([probabilities[i].argmax() == labels[i] for i in inside])
            error += len(inside) / len(labels) * abs(confidence - right)
    return error


NAIVE = {
    "accuracy": naive_accuracy,
    "top5_accuracy": naive_top5,
    "negative_log_likelihood": naive_likelihood,
    "calibration_error": naive_calibration,
}


@pytest.fixture(scope="module")
def some():
    rng = np.random.default_rng(0)
    return rng.normal(scale=3, size=(500, K)), rng.integers(0, K, 500)


@pytest.mark.parametrize("name", NAIVE)
@pytest.mark.parametrize("pieces", [1, 7])
def test_against_the_definition(some, name, pieces, digits):
    logits, labels = some
    entry = METRICS[name]
    parts = zip(
        np.array_split(logits, pieces), np.array_split(labels, pieces), strict=True
    )
    sums = sum(
        entry.sums(Predictions(torch.tensor(x), torch.tensor(y), digits))
        for x, y in parts
    )
    probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert entry.value(sums, 500) == pytest.approx(
        NAIVE[name](probabilities, labels), abs=1e-12
    )


TREE = ps.taxonomy("cifar100_levels")
distance = severity.hierarchical_distance


def least_risk(logits):
    return severity.expected_cost_scores(
        np.exp(logits) / np.exp(logits).sum(1, keepdims=True), TREE
    )


OF_A_TREE = {
    "mistake_severity": lambda logits, labels: severity.mistake_severity(
        logits, labels, TREE
    ),
    "hierarchical_distance_at_1": lambda logits, labels: severity.hierarchical_distance(
        logits, labels, TREE, 1
    ),
    "hierarchical_distance_at_5": lambda logits, labels: severity.hierarchical_distance(
        logits, labels, TREE, 5
    ),
    "hierarchical_distance_at_20": lambda logits, labels: (
        severity.hierarchical_distance(logits, labels, TREE, 20)
    ),
    "superclass_accuracy": lambda logits, labels: severity.superclass_accuracy(
        logits, labels, TREE
    ),
    "least_risk_accuracy": lambda logits, labels: (
        least_risk(logits).argmax(1) == labels
    ).mean(),
    "least_risk_distance_at_1": lambda logits, labels: distance(
        least_risk(logits), labels, TREE, 1
    ),
    "least_risk_distance_at_5": lambda logits, labels: distance(
        least_risk(logits), labels, TREE, 5
    ),
    "least_risk_distance_at_20": lambda logits, labels: distance(
        least_risk(logits), labels, TREE, 20
    ),
}


@pytest.mark.parametrize("name", OF_A_TREE)
def test_severity_of_the_classes_of_a_tree(name, digits):
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(120, 100)) + 3 * np.eye(100)[np.arange(120) % 100]
    labels = np.arange(120) % 100
    named = replace(digits, class_names=TREE.classes)
    entry = METRICS[name]
    assert entry.applies(named)
    assert not entry.applies(digits)
    halves = (slice(0, 50), slice(50, 120))
    sums = sum(
        entry.sums(Predictions(torch.tensor(logits[h]), torch.tensor(labels[h]), named))
        for h in halves
    )
    assert entry.value(sums, 120) == pytest.approx(OF_A_TREE[name](logits, labels))


def test_every_metric_is_here():
    assert set(METRICS) == {*NAIVE, *OF_A_TREE}
    with pytest.raises(
        InvalidArgumentError, match="a metric named 'accuracy' is registered already"
    ):
        metric(summary="")(METRICS["accuracy"].sums)


def test_a_certain_and_right_network_is_perfect(digits):
    labels = torch.arange(K)
    seen = Predictions(100 * torch.eye(K), labels, digits)
    values = {
        name: entry.value(entry.sums(seen), K)
        for name, entry in METRICS.items()
        if entry.applies(digits)
    }
    assert values == pytest.approx(
        {
            "accuracy": 1,
            "top5_accuracy": 1,
            "negative_log_likelihood": 0,
            "calibration_error": 0,
        },
        abs=1e-12,
    )


def test_results_have_them_and_tables_keep_them(digits, tiny, tmp_path, fabric):
    record = run(tiny, digits, tmp_path, fabric, tensorboard=False)
    names = {
        f"{part}_{name}"
        for part in ("test", "validation")
        for name in NAIVE
        if name != "accuracy"
    }
    of_code = {
        f"code_{name}"
        for name in ("energy", "min_cosine", "mean_square", "antipodal_pairs")
    }
    assert set(record.metrics) == names | of_code
    assert record.metrics["test_top5_accuracy"] >= record.test_accuracy
    row = {
        name: "" if value is None else str(value)
        for name, value in record.row().items()
    }
    assert record_from_row(row, "here") == record
    new = {*names, *of_code, "preset", "loss_function"}
    old = {name: text for name, text in row.items() if name not in new}
    assert record_from_row(old, "here").metrics == {}


def test_a_metric_that_is_not_finite_is_none(
    digits, tiny, tmp_path, fabric, monkeypatch
):
    broken = replace(
        METRICS["accuracy"], name="broken", value=lambda sums, count: float("nan")
    )
    monkeypatch.setitem(METRICS._entries, "broken", broken)
    elsewhere = replace(broken, name="elsewhere", applies=lambda dataset: False)
    monkeypatch.setitem(METRICS._entries, "elsewhere", elsewhere)
    record = run(tiny, digits, tmp_path, fabric, tensorboard=False)
    assert record.metrics["test_broken"] is None
    assert "test_elsewhere" not in record.metrics
    assert "NaN" not in record.to_json()
