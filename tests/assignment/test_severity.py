"""The severity of mistakes against its definition, image by image."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps
from protosphere.assignment import (
    expected_cost_scores,
    hierarchical_distance,
    mistake_severity,
    superclass_accuracy,
)

TREE = ps.taxonomy("cifar100_levels")
RNG = np.random.default_rng(0)
SCORES = RNG.standard_normal((200, 100)) + 3 * np.eye(100)[np.arange(200) % 100]
LABELS = np.arange(200) % 100


def test_the_mean_over_mistakes_is_of_mistakes_alone():
    predicted = SCORES.argmax(axis=1)
    heights = [
        TREE.heights[p, y] for p, y in zip(predicted, LABELS, strict=True) if p != y
    ]
    assert 0 < len(heights) < 200
    assert mistake_severity(SCORES, LABELS, TREE) == pytest.approx(np.mean(heights))
    assert mistake_severity(np.eye(100), np.arange(100), TREE) == 0


@pytest.mark.parametrize("k", [1, 5, 20, 100])
def test_the_distance_at_k_is_that_of_the_k_best(k):
    best = np.argsort(-SCORES, axis=1)[:, :k]
    expected = np.mean([TREE.heights[best[i], LABELS[i]].mean() for i in range(200)])
    assert hierarchical_distance(SCORES, LABELS, TREE, k) == pytest.approx(expected)


def test_superclasses_are_at_least_as_often_right():
    groups = TREE.groups()
    expected = np.mean(groups[SCORES.argmax(axis=1)] == groups[LABELS])
    assert superclass_accuracy(SCORES, LABELS, "cifar100_levels") == pytest.approx(
        expected
    )
    assert superclass_accuracy(SCORES, LABELS, TREE, above=5) == 1, (
        "all are below the root"
    )


def test_the_least_conditional_risk_is_no_worse_than_any_other_prediction():
    chances = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
    costs = -expected_cost_scores(chances, TREE)
    direct = np.array(
        [[chances[i] @ TREE.heights[c] for c in range(100)] for i in range(20)]
    )
    np.testing.assert_allclose(costs[:20], direct)
    assert hierarchical_distance(-costs, LABELS, TREE, 20) < hierarchical_distance(
        SCORES, LABELS, TREE, 20
    )


def test_tensors_are_taken_and_bad_input_gets_one_sentence():
    import torch

    one = hierarchical_distance(
        torch.tensor(SCORES[:1]), torch.tensor(LABELS[:1]), TREE
    )
    assert one == hierarchical_distance(SCORES[:1], LABELS[:1], TREE)
    for scores, labels, k, says in (
        (SCORES, LABELS[:5], 1, "one class a row"),
        (SCORES[:, :9], LABELS, 1, "'tree' must have 9 classes"),
        (SCORES, LABELS, 101, "'k' must be at most"),
        (SCORES, LABELS * 1.0, 1, "'labels' must be classes"),
        (SCORES * np.nan, LABELS, 1, "finite"),
        (
            SCORES[:0],
            LABELS[:0],
            1,
            "'scores' must be a matrix with a row per image, got",
        ),
    ):
        with pytest.raises(ps.InvalidArgumentError, match=says):
            hierarchical_distance(scores, labels, TREE, k)
    with pytest.raises(
        ps.InvalidArgumentError,
        match="'probabilities' must be a matrix with a row per image",
    ):
        expected_cost_scores(SCORES[0], TREE)
