"""Scores against their definitions, and thresholds against counting."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead, threshold_at_tpr

CODE = ps.construct("kerdock", num_classes=100, dim=16)


def test_scores_are_what_they_say():
    head = PrototypeHead(CODE)
    z = torch.randn(20, 16, generator=torch.Generator().manual_seed(0))
    cosines = torch.nn.functional.normalize(z, dim=1) @ head.prototypes().T
    best, second = cosines.topk(2).values.T
    torch.testing.assert_close(head.score(z, "max_cosine"), best)
    torch.testing.assert_close(head.score(z, "margin"), best - second)
    torch.testing.assert_close(
        head.score(z, kind="energy"), torch.logsumexp(head(z), dim=1)
    )
    torch.testing.assert_close(head.score(z), head.score(z, "energy"))
    with pytest.raises(
        InvalidArgumentError,
        match="'kind' must be one of max_cosine, margin, energy, got 'entropy'",
    ):
        head.score(z, "entropy")


def test_known_inputs_score_higher():
    head = PrototypeHead(CODE)
    draw = torch.Generator().manual_seed(0)
    noise = torch.randn(200, 16, generator=draw)
    known = (
        4 * head.prototypes()[torch.randint(100, (200,), generator=draw)] + 0.5 * noise
    )
    for kind in ("max_cosine", "margin", "energy"):
        threshold = threshold_at_tpr(head.score(known, kind))
        assert (head.score(known, kind) >= threshold).float().mean() >= 0.95
        assert (head.score(noise, kind) >= threshold).float().mean() < (
            0.35 if kind == "energy" else 0.25
        )


@pytest.mark.parametrize("accept", [0.01, 0.07, 0.5, 0.95, 1.0])
def test_a_threshold_is_the_highest_that_accepts_enough(accept):
    scores = torch.randn(100, generator=torch.Generator().manual_seed(0))
    threshold = threshold_at_tpr(scores, accept)
    assert (scores >= threshold).sum() >= round(100 * accept)
    assert (scores > threshold).sum() < round(100 * accept)


def test_thresholds_of_arrays_and_lists_are_those_of_tensors():
    scores = [0.1, 0.5, 0.7, 0.9]
    for known in (scores, np.array(scores), torch.tensor(scores, dtype=torch.float64)):
        assert threshold_at_tpr(known, 0.5) == 0.7


def test_misuse_is_one_sentence():
    with pytest.raises(
        InvalidArgumentError, match="'accept' must be above 0 and at most 1, got 95"
    ):
        threshold_at_tpr(torch.zeros(3), 95)
    with pytest.raises(
        InvalidArgumentError,
        match=r"'known' must be a vector of finite scores, got shape \(0,\)",
    ):
        threshold_at_tpr(torch.zeros(0))
    with pytest.raises(InvalidArgumentError, match="finite scores, got NaN"):
        threshold_at_tpr(torch.tensor([float("nan")]))
    with pytest.raises(InvalidArgumentError, match="finite scores, got infinity"):
        threshold_at_tpr([1.0, float("inf")])
    with pytest.raises(InvalidArgumentError, match=r"finite scores, got \['a'\]"):
        threshold_at_tpr(["a"])
