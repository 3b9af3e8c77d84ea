"""Prototypes designed for a similarity: nearer where classes are alike, and one sentence for what is no similarity."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.descents.semantic import AUTO_SPREAD, weight_for
from protosphere.search.margin_descent import margin_gradient

S = ps.similarity_from_embeddings(np.random.default_rng(1).standard_normal((30, 5)))
UPPER = np.triu_indices(30, 1)


def correlation(code):
    return np.corrcoef(S[UPPER], (code.points @ code.points.T)[UPPER])[0, 1]


def test_more_weight_more_meaning():
    codes = [
        ps.construct("semantic", similarity=S, dim=8, weight=weight, steps=300)
        for weight in (0, 0.3, 0.6, 1)
    ]
    meant = [correlation(code) for code in codes]
    assert meant == sorted(meant)
    assert meant[-1] > 0.8
    separated = [float(code.max_cosine) for code in codes]
    assert separated == sorted(separated), "what meaning costs"


def test_it_means_more_than_the_aligned_best():
    aligned = ps.assign(ps.best(num_classes=30, dim=8, iterations=0), S)
    assert (
        correlation(ps.construct("semantic", similarity=S, dim=8, steps=300))
        > correlation(aligned) + 0.1
    )


def test_the_gradient_is_that_of_the_objective():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((6, 3))
    margins = rng.standard_normal((6, 6))
    margins += margins.T

    def objective(rows):
        upper = np.triu_indices(6, 1)
        return np.log(np.exp(5 * (rows @ rows.T - margins)[upper]).sum()) / 5

    numeric = np.zeros_like(points)
    for place in np.ndindex(points.shape):
        shift = np.zeros_like(points)
        shift[place] = 1e-6
        numeric[place] = (objective(points + shift) - objective(points - shift)) / 2e-6
    np.testing.assert_allclose(margin_gradient(points, margins, 5), numeric, atol=1e-7)


def test_the_automatic_weight_does_not_depend_on_the_unit_of_the_similarity():
    spread = weight_for("auto", S, 4) * np.std(S[UPPER])
    assert spread == pytest.approx(AUTO_SPREAD)
    assert weight_for("auto", 3 * S + 7, 4) * 3 == pytest.approx(
        weight_for("auto", S, 4)
    )
    assert weight_for("auto", np.zeros((4, 4)), 4) == 1


def test_cosines_of_points_in_as_many_dimensions_are_met():
    """S has rank 5: in R^5 nothing has to be traded, in R^4 something has."""
    assert (
        weight_for("auto", S, 5)
        == weight_for("auto", S - np.eye(30), 9)
        == 1
        > weight_for("auto", S, 4)
    )
    points = ps.construct("uniform", num_classes=30, dim=8).points
    code = ps.construct("semantic", similarity=points @ points.T, dim=8)
    np.testing.assert_allclose(
        (code.points @ code.points.T)[UPPER], (points @ points.T)[UPPER], atol=0.08
    )


def test_the_similarity_says_how_many_classes_there_are_and_is_kept():
    code = ps.construct("semantic", similarity=S, dim=5, steps=20)
    assert code.num_classes == 30
    again = ps.construct(
        "semantic", dim=5, num_classes=30, seed=0, **code.provenance.options
    )
    assert np.array_equal(code.points, again.points)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "'num_classes' must be an integer"),
        ({"num_classes": 30}, "needs 'similarity'"),
        ({"similarity": S, "num_classes": 31}, "must be 31 x 31"),
        ({"similarity": S[:, :4]}, "must be square"),
        ({"similarity": S, "weight": 2}, "'weight' must be 'auto' or from 0 to 1"),
        (
            {"similarity": S, "weight": "heavy"},
            "'weight' must be 'auto' or from 0 to 1",
        ),
        ({"similarity": "no such tree"}, "must be one of cifar100_superclasses"),
        ({"similarity": "upper triangle AAAA"}, "'similarity_text' wrote"),
        ({"similarity": S, "steps": -1}, "'steps'"),
    ],
)
def test_one_sentence_for_what_is_no_similarity(options, says):
    with pytest.raises((ps.InvalidArgumentError, ps.InfeasibleError), match=says):
        ps.construct("semantic", dim=5, **options)
