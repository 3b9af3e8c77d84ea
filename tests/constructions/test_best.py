"""The best of everything: never worse than anything we have, and no claim it cannot prove."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.nested import select_subset

# K, n, and what algebra alone reaches: shortened chains, lifted cross-polytopes, Construction X.
ALGEBRA = [
    (100, 16, 0.2),
    (1000, 32, 7 / 31),
    (1000, 64, 6 / 62),
    (1000, 256, 1 / (2 * 252**0.5 + 1)),
    (10_000, 64, 13 / 61),
    (10_000, 128, 15 / 127),
    (10_000, 256, 14 / 254),
    (10_000, 512, 0.05115),
    (100_000, 64, 0.25),
    (100_000, 128, 0.21679),
    (100_000, 256, 0.09506),
    (100_000, 512, 30 / 510),
    (1_000_000, 64, 0.47369),
    (1_000_000, 512, 0.09298),
]


@pytest.mark.slow
@pytest.mark.parametrize(("num_classes", "dim", "value"), ALGEBRA)
def test_algebra_alone(num_classes, dim, value):
    code = ps.best(num_classes=num_classes, dim=dim, iterations=0)
    assert float(code.max_cosine) <= value + 1e-9
    assert code.num_classes == num_classes
    assert code.dim == dim
    np.testing.assert_allclose(np.linalg.norm(code.rows(0, 50), axis=1), 1, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [2, 3, 4, 5, 8, 13, 31, 32, 64])
def test_rankin_is_met_up_to_twice_the_dimension(dim):
    for num_classes in {2, dim, dim + 1, dim + 2, 2 * dim - 1, 2 * dim}:
        if num_classes >= 2:
            code = ps.best(num_classes=num_classes, dim=dim)
            assert code.certificate.optimal
            assert "optimal" in code.explain()


@given(st.integers(2, 60), st.integers(2, 24))
@settings(deadline=None, max_examples=25)
def test_any_small_request_is_served_and_beats_every_paper_scheme(num_classes, dim):
    code = ps.best(num_classes=num_classes, dim=dim, iterations=60)
    for scheme, options in (
        ("simplex", {}),
        ("cross_polytope", {}),
        ("bch", {"modify": True}),
        ("kerdock", {}),
    ):
        try:
            other = ps.construct(scheme, num_classes=num_classes, dim=dim, **options)
        except ps.InfeasibleError:
            continue
        assert float(code.max_cosine) <= float(other.max_cosine) + 1e-12


@pytest.mark.slow
def test_iterations_give_the_same_bits():
    first, again = (
        ps.best(num_classes=30, dim=7, iterations=60_500, seed=3) for _ in range(2)
    )
    assert np.array_equal(first.points, again.points)
    assert first.placement.description.startswith("optimized")


def test_what_the_kept_searches_took_is_spent_and_more_starts_from_what_they_found():
    one, all_spent, more = (
        ps.best(num_classes=33, dim=6, iterations=count)
        for count in (1, 60_000, 60_500)
    )
    assert np.array_equal(one.points, all_spent.points)
    assert np.array_equal(one.points, ps.best(num_classes=33, dim=6, budget=0.9).points)
    assert float(more.max_cosine) <= float(one.max_cosine) + 1e-12
    assert {other.description for other in more.choice.considered} >= {
        other.description for other in one.choice.considered[:1]
    }


def test_the_explanation_lists_the_chosen_one_first():
    choice = ps.best(num_classes=100, dim=16, iterations=0, catalogue=False).choice
    assert choice.considered[0].measured == Fraction(1, 5)
    assert choice.considered[0].scheme == "shortened_cosets"
    assert all(
        c.measured is None or c.measured >= choice.considered[0].measured
        for c in choice.considered
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"num_classes": 3, "dim": 1}, "'dim' 1 holds two points, got num_classes 3"),
        (
            {"num_classes": 1, "dim": 4},
            "'num_classes' must be an integer of at least 2",
        ),
        (
            {"num_classes": 10, "dim": 4, "budget": -1},
            "'budget' must be a finite number above 0",
        ),
        (
            {"num_classes": 10, "dim": 4, "iterations": -1},
            "'iterations' must be an integer of at least 0",
        ),
        (
            {"num_classes": 10, "dim": 4, "iterations": 5, "budget": 1.0},
            "exclude each other",
        ),
        ({"num_classes": 10**15, "dim": 64}, "this machine's memory"),
    ],
)
def test_bad_requests_are_one_sentence(arguments, sentence):
    with pytest.raises(ps.ProtosphereError) as refusal:
        ps.best(**arguments)
    assert sentence in str(refusal.value)


@given(st.integers(3, 30), st.integers(2, 6), st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_a_selected_subset_never_has_a_closer_pair_than_all_points(size, dim, seed):
    points = ps.construct("uniform", num_classes=size, dim=dim, seed=seed).points
    kept = select_subset(points, max(2, size // 2))
    assert len(np.unique(kept)) == max(2, size // 2)
    assert (
        float(ps.certify(points[kept]).max_cosine)
        <= float(ps.certify(points).max_cosine) + 1e-12
    )


@pytest.mark.slow
def test_of_what_is_known_the_best_that_fits_is_chosen(monkeypatch):
    assert ps.best(num_classes=10**6, dim=600_000).certificate.optimal, (
        "made from numbers, and no word is kept"
    )
    monkeypatch.setattr(
        "protosphere.constructions.limits.memory_bytes", lambda: 1 << 20
    )
    code = ps.best(num_classes=1000, dim=1000, iterations=0)
    assert (code.provenance.resolved.construction, code.max_cosine) == (
        "orthogonal_simplices",
        0,
    )
    monkeypatch.setattr(
        "protosphere.constructions.limits.memory_bytes", lambda: 1 << 16
    )
    with pytest.raises(
        ps.InfeasibleError,
        match="in this machine's memory, got num_classes 1000 and dim 64",
    ):
        ps.best(num_classes=1000, dim=64, iterations=0)


def test_progress_is_told_before_the_first_candidate_is_built():
    told = list[str]()
    ps.best(
        num_classes=300,
        dim=100,
        iterations=0,
        progress=lambda stage, done, total: told.append(stage),
    )
    assert told[0].startswith("building")
