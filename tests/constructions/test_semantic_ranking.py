"""Mettes et al.'s prior: near prototypes in the order of similarity, beside the mean row maximum."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import softplus

import protosphere as ps
from protosphere.constructions.descents import semantic_ranking
from protosphere.constructions.descents.semantic_ranking import ranking_gradient

S = ps.similarity_from_embeddings(np.random.default_rng(1).standard_normal((20, 5)))


def ranked_rightly(code):
    """The share of triplets in which the more similar class has the nearer prototype."""
    cosines = code.points @ code.points.T
    right = []
    for i in range(20):
        others = np.delete(np.arange(20), i)
        asked = np.subtract.outer(S[i, others], S[i, others])
        got = np.subtract.outer(cosines[i, others], cosines[i, others])
        right.append((got[asked > 0] > 0).mean())
    return np.mean(right)


@pytest.mark.parametrize("anchors", [slice(0, 6), slice(2, 4), slice(5, 6)])
def test_the_gradient_is_that_of_the_loss_written_down_triplet_by_triplet(anchors):
    rng = np.random.default_rng(0)
    alike = torch.tensor(
        rng.integers(0, 4, (6, 6)).astype(float)
    )  # with ties, which do not count
    alike += alike.T.clone()
    points = torch.tensor(rng.standard_normal((6, 3)), requires_grad=True)
    losses = [
        softplus(points[i] @ (points[k] - points[j]))
        for i in range(6)[anchors]
        for j in range(6)
        for k in range(6)
        if i not in (j, k) and alike[i, j] > alike[i, k]
    ]
    torch.stack(losses).mean().backward()
    torch.testing.assert_close(
        ranking_gradient(points.detach(), alike, anchors), points.grad
    )


def test_nothing_is_ranked_where_all_are_alike():
    points = torch.eye(4, dtype=torch.float64)
    assert not ranking_gradient(
        points, torch.ones(4, 4, dtype=torch.float64), slice(0, 4)
    ).any()


def test_more_weight_ranks_more_triplets_rightly():
    codes = [
        ps.construct("semantic_ranking", similarity=S, dim=6, weight=weight)
        for weight in (0, 1, 10)
    ]
    shares = [ranked_rightly(code) for code in codes]
    assert shares == sorted(shares)
    assert shares[0] < 0.6
    assert shares[2] > 0.85
    assert float(codes[1].max_cosine) < float(codes[2].max_cosine), "what meaning costs"


def test_without_weight_it_is_the_mean_row_maximum():
    plain = ps.construct("mean_row_max", num_classes=20, dim=6, seed=3)
    assert np.array_equal(
        ps.construct("semantic_ranking", similarity=S, dim=6, weight=0, seed=3).points,
        plain.points,
    )


def test_a_few_classes_at_a_time_come_to_the_same(monkeypatch):
    whole = ranked_rightly(
        ps.construct("semantic_ranking", similarity=S, dim=6, weight=5)
    )
    monkeypatch.setattr(semantic_ranking, "MOST_TRIPLETS", 3 * 20**2)
    assert ranked_rightly(
        ps.construct("semantic_ranking", similarity=S, dim=6, weight=5)
    ) == pytest.approx(whole, abs=0.05)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"num_classes": 20}, "needs 'similarity'"),
        ({"similarity": S, "num_classes": 21}, "must be 21 x 21"),
        (
            {"similarity": S, "weight": -1},
            "'weight' must be a number of at least 0, got -1",
        ),
        ({"similarity": S, "weight": float("nan")}, "'weight' must be"),
        ({"similarity": S, "momentum": 1}, "'momentum'"),
        ({"similarity": np.eye(2001)}, "at most 2000"),
    ],
)
def test_one_sentence_for_what_cannot_be(options, says):
    with pytest.raises((ps.InvalidArgumentError, ps.InfeasibleError), match=says):
        ps.construct("semantic_ranking", dim=5, **options)
