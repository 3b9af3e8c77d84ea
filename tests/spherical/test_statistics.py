"""Code statistics: the same by spectrum and by pairs, and what breaks ties of the best."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.spherical.statistics import ANTIPODAL, code_statistics, confident_scale

CODES = [
    ("orthogonal_simplices", 30, 20, {}),
    ("cross_polytope", 30, 20, {}),
    ("bch", 40, 15, {}),
    ("uniform", 30, 5, {}),
    ("simplex", 10, 9, {}),
]


@pytest.mark.parametrize("row", CODES, ids=str)
def test_it_is_that_of_all_pairs(row):
    scheme, K, n, options = row
    code = ps.construct(scheme, num_classes=K, dim=n, **options)
    cosines = (code.points @ code.points.T)[np.triu_indices(K, 1)]
    found = code_statistics(code)
    assert float(found.min_cosine) == pytest.approx(cosines.min())
    assert found.antipodal_pairs == np.count_nonzero(cosines <= ANTIPODAL)
    scale = confident_scale(K, float(code.max_cosine))
    assert found.scale == scale
    assert found.energy == pytest.approx(2 * np.exp(scale * (cosines - 1)).sum() / K)
    assert found.energy <= 0.01 / 0.99 * (1 + 1e-12)
    assert float(found.mean_square) == pytest.approx(
        np.square(cosines).mean(), abs=1e-15
    )
    assert float(found.mean_square) >= float(ps.bounds.welch_mean_square(K, n)) - 1e-15


@pytest.mark.parametrize(
    ("scheme", "K", "n"),
    [
        ("cross_polytope", 40, 20),
        ("simplex", 10, 9),
        ("reed_muller", 16, 8),
        ("kerdock", 64, 16),
    ],
)
def test_tight_frames_have_the_least_mean_square(scheme, K, n):
    found = code_statistics(ps.construct(scheme, num_classes=K, dim=n)).mean_square
    least = ps.bounds.welch_mean_square(K, n).value
    assert found == (
        least if isinstance(found, Fraction) else pytest.approx(float(least))
    )


@pytest.mark.parametrize(
    ("K", "n"), [(100, 64), (30, 20), (64, 32), (17, 12), (200, 150)]
)
def test_the_best_of_equal_max_cosines_is_the_even_one(K, n):
    code = ps.best(num_classes=K, dim=n)
    assert code.max_cosine == 0
    others = [ps.construct("cross_polytope", num_classes=K, dim=n)]
    assert all(
        code_statistics(code).energy <= code_statistics(other).energy
        for other in others
    )
    if 2 * n > K:
        assert code.provenance.resolved.construction == "orthogonal_simplices"


def test_a_tolerance_is_given_for_a_lower_energy_and_no_more():
    plain = ps.best(num_classes=30, dim=6, iterations=0)
    even = ps.best(num_classes=30, dim=6, iterations=0, prefer="energy", tolerance=0.1)
    scale = code_statistics(plain).scale
    assert code_statistics(even, scale).energy < code_statistics(plain, scale).energy
    assert (
        float(plain.max_cosine)
        < float(even.max_cosine)
        <= float(plain.max_cosine) + 0.1
    )
    assert "most even" in even.explain()
    strict = ps.best(num_classes=30, dim=6, iterations=0, prefer="energy", tolerance=0)
    assert np.array_equal(strict.points, plain.points)


@pytest.mark.parametrize(
    "options", [{"prefer": "odd"}, {"tolerance": -1}, {"tolerance": "much"}]
)
def test_bad_preferences_get_one_sentence(options):
    with pytest.raises(ps.InvalidArgumentError, match=next(iter(options))):
        ps.best(num_classes=30, dim=6, **options)
