"""Every geometric claim of the paper (Lindstrom et al. 2024: section 4.2, appendices A and B), on our own codes.

`docs/studies/claims-geometry.md` lists them in the same order; what does not hold is said there and asserted here.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import protosphere as ps

SEEDS = range(5)


@lru_cache
def separation(scheme, num_classes, dim, seed=0, **options):
    return float(
        ps.construct(
            scheme, num_classes=num_classes, dim=dim, seed=seed, **options
        ).max_cosine
    )


def cosines(scheme, num_classes, dim):
    points = ps.construct(scheme, num_classes=num_classes, dim=dim).points
    return (points @ points.T)[np.triu_indices(num_classes, 1)]


def test_the_simplex_meets_the_lower_bound_at_n_99():
    assert ps.construct("simplex", num_classes=100, dim=99).certificate.optimal


@pytest.mark.parametrize("dim", [64, 128, 256])
def test_reed_muller_reaches_zero_from_n_64_on(dim):
    assert separation("reed_muller", 100, dim) == 0


@pytest.mark.parametrize("dim", [63, 127, 255])
def test_bch_is_slightly_above_zero_from_n_63_on(dim):
    assert 0 < separation("bch", 100, dim) < 0.02


@pytest.mark.parametrize("dim", [15, 16, 31, 32])
def test_below_63_descent_beats_the_codes_of_length_n(dim):
    scheme = "bch" if dim % 2 else "reed_muller"
    assert max(
        separation("log_sum_exp", 100, dim), separation("mean_row_max", 100, dim)
    ) < separation(scheme, 100, dim)


@pytest.mark.parametrize("dim", [16, 32, 64])
def test_log_sum_exp_beats_mean_row_max_at_lr_02_for_every_seed(dim):
    for seed in SEEDS:
        assert separation("log_sum_exp", 100, dim, seed) < separation(
            "mean_row_max", 100, dim, seed
        )


@pytest.mark.parametrize("dim", [16, 32, 64])
def test_and_does_not_at_the_lr_01_that_the_text_prints(dim):
    for seed in SEEDS:
        assert separation("log_sum_exp", 100, dim, seed, lr=0.1) > separation(
            "mean_row_max", 100, dim, seed
        )


@pytest.mark.parametrize(("num_classes", "dim"), [(10, 16), (100, 128)])
def test_log_sum_exp_reaches_the_converse(num_classes, dim):
    assert separation("log_sum_exp", num_classes, dim) == pytest.approx(
        -1 / (num_classes - 1), abs=1e-4
    )


def test_k100_all_schemes_lie_between_the_theorems_bounds_but_reed_muller_at_32():
    schemes = [
        ("simplex", 99),
        ("one_hot", 100),
        ("log_sum_exp", 16),
        ("mean_row_max", 16),
        ("log_sum_exp", 64),
    ]
    schemes += [("reed_muller", n) for n in (16, 64, 128, 256)] + [
        ("bch", n) for n in (15, 31, 63, 127, 255)
    ]
    for scheme, dim in schemes:
        assert separation(scheme, 100, dim) <= float(
            ps.bounds.gilbert_varshamov(100, dim)
        ), (scheme, dim)
    assert separation("reed_muller", 100, 32) > float(
        ps.bounds.gilbert_varshamov(100, 32)
    )


def test_but_bch_lies_above_the_bound_tightened_by_one_hot():
    assert separation("bch", 100, 127) == pytest.approx(1 / 127)
    assert ps.bounds.achievable(100, 127).value == 0


def test_k10_all_schemes_lie_between_the_theorems_bounds():
    schemes = [
        ("simplex", 9),
        ("one_hot", 10),
        *(("reed_muller", n) for n in (4, 8, 16, 32, 64)),
    ]
    schemes += [
        (scheme, n)
        for scheme in ("log_sum_exp", "mean_row_max")
        for n in (4, 8, 16, 32, 64)
    ]
    schemes += [("bch", n) for n in (7, 15, 31, 63)]
    for scheme, dim in schemes:
        assert separation(scheme, 10, dim) <= float(
            ps.bounds.gilbert_varshamov(10, dim)
        ), (scheme, dim)


def test_for_large_n_bch_and_mean_row_max_are_slightly_worse_than_orthogonal():
    assert separation("bch", 10, 15) == pytest.approx(1 / 15)
    for seed in SEEDS:
        assert 0 < separation("mean_row_max", 100, 128, seed) < 0.003


def test_k10_log_sum_exp_is_no_worse_than_orthogonal_at_8_and_optimal_at_16():
    # the optimum of R^8 is 0: most descents end within 1e-5 of it, some stay above, none is at it
    ends = [separation("log_sum_exp", 10, 8, seed) for seed in range(20)]
    assert min(ends) > 0
    assert sum(end < 1e-5 for end in ends) >= 15
    assert max(ends) < 0.02
    assert separation("log_sum_exp", 10, 16) == pytest.approx(-1 / 9, abs=1e-4)


@pytest.mark.parametrize("dim", [16, 32, 64])
def test_k10_mean_row_max_is_more_than_orthogonal_but_misses_the_converse(dim):
    value = separation("mean_row_max", 10, dim)
    assert -1 / 9 + 1e-4 < value < 0


@pytest.mark.parametrize("dim", [16, 32, 64])
def test_k10_log_sum_exp_improves_on_mean_row_max(dim):
    assert (
        separation("log_sum_exp", 10, dim) < separation("mean_row_max", 10, dim) - 0.005
    )


@pytest.mark.parametrize("dim", [511, 512])
def test_k1000_codes_are_near_optimal_from_about_half_the_classes_on(dim):
    scheme = "bch" if dim % 2 else "reed_muller"
    assert separation(scheme, 1000, dim) < 0.002


@pytest.mark.parametrize(("dim", "scheme"), [(31, "log_sum_exp"), (63, "mean_row_max")])
def test_k1000_bch_beats_descent_in_low_dimensions(dim, scheme):
    assert separation("bch", 1000, dim) < separation(scheme, 1000, dim)


def test_k1000_but_not_at_127():
    assert separation("bch", 1000, 127) > separation("log_sum_exp", 1000, 127)


def test_k1000_uniform_points_are_near_orthogonal_in_very_high_dimensions_only():
    assert separation("uniform", 1000, 64) > 0.5
    assert separation("uniform", 1000, 8192) < 0.08


@pytest.mark.parametrize(
    "scheme", ["uniform", "mean_row_max", "log_sum_exp", "reed_muller"]
)
def test_average_cosines_are_close_to_zero_at_k100_n16(scheme):
    assert abs(cosines(scheme, 100, 16).mean()) < 0.012


def test_half_the_classes_of_reed_muller_have_an_opposite():
    assert np.isclose(cosines("reed_muller", 100, 16), -1).sum() == 50
    assert np.isclose(cosines("reed_muller", 10, 8), -1).sum() == 5
    assert np.isclose(cosines("reed_muller", 1000, 128), -1).sum() == 500


def test_code_cosines_concentrate_on_few_values():
    for scheme, num_classes, dim in (
        ("reed_muller", 100, 16),
        ("bch", 100, 15),
        ("bch", 1000, 127),
    ):
        assert len(np.unique(cosines(scheme, num_classes, dim).round(9))) <= 14


def test_k1000_reed_muller_has_little_mass_at_one_half():
    values = cosines("reed_muller", 1000, 128)
    share = np.isclose(np.abs(values), 0.5).mean()
    assert 0 < share < 0.03


def test_descent_moves_mass_out_of_the_right_tail():
    uniform = cosines("uniform", 100, 16)
    descent = cosines("log_sum_exp", 100, 16)
    assert (uniform > 0.3).mean() > 0.05
    assert (descent > 0.3).mean() == 0
