"""The claims table: what the committed results say, and no more."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import stdev
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t

from protosphere.cli.finished_runs import stored_records
from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord
from protosphere.statistics.regression import Regression, regression
from reproduction.claim_tests import split_explains, weaker
from reproduction.claims import CLAIMS, claims_table, predictors_by_network
from reproduction.claims_page import claims_page
from reproduction.findings import (
    DOES_NOT,
    HOLDS,
    MOST_SEEDS,
    NOT_RUN,
    UNDECIDED,
    Sample,
    all_of,
    difference,
    higher,
    noticeable,
    seeds_to_decide,
    within,
)
from reproduction.noise import Noise, noise_by_scheme
from reproduction.results import Results
from reproduction.variance import FACTORS, spreads
from reproduction.verdicts import verdict_text

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_committed_results_say():
    records = stored_records(ROOT / "results")
    table = claims_table(records)
    page = claims_page(table, predictors_by_network(records))
    assert (ROOT / "docs" / "studies" / "claims.md").read_text(encoding="utf-8") == page
    assert {row["claim"] for row in table} >= {claim.text for claim in CLAIMS}
    assert all(row["our figures"] for row in table if row["verdict"] != NOT_RUN)


def by_seed(*values):
    return Sample(dict(enumerate(values)))


def test_differences_within_the_noise_decide_nothing():
    names = ("a", "b")
    assert (
        higher(by_seed(98.0, 98.1, 98.2), by_seed(97.0, 97.1, 97.3), names).verdict
        == HOLDS
    )
    assert (
        higher(by_seed(97.0, 97.1, 97.3), by_seed(98.0, 98.1, 98.2), names).verdict
        == DOES_NOT
    )
    unsure = higher(by_seed(97.0, 98.0), by_seed(97.2, 97.9), names)
    assert unsure.verdict == UNDECIDED
    assert unsure.seeds_needed > 2
    assert higher(by_seed(99.0), by_seed(1.0, 1.1), names).verdict == UNDECIDED, (
        "one seed is no evidence"
    )
    assert (
        higher(Sample({0: 99.0, 1: 98.0}), Sample({2: 1.0, 3: 1.0}), names).verdict
        == UNDECIDED
    ), "nor are different ones"
    assert higher(Sample({}), by_seed(1.0), names).verdict == NOT_RUN
    both = [
        higher(by_seed(98.0, 98.1, 98.2), by_seed(97.0, 97.1, 97.3), names),
        higher(by_seed(97.0, 98.0), by_seed(97.2, 97.9), names),
    ]
    assert all_of(both).verdict == UNDECIDED
    assert all_of(both).seeds_needed == both[1].seeds_needed


def test_an_advantage_below_the_standard_error_of_the_test_set_is_none():
    names = ("a", "b")
    right = by_seed(68.0, 68.2, 68.1, 67.9)
    assert noticeable(68.0) == pytest.approx(100 * math.sqrt(0.68 * 0.32 / 10_000))
    close = higher(by_seed(68.1, 68.1, 68.2, 67.9), right, names)
    assert close.verdict == DOES_NOT
    assert higher(by_seed(68.2, 68.4, 68.31, 68.1), right, names).verdict == HOLDS, (
        "small, but certain"
    )
    wide = higher(by_seed(67.8, 68.9, 68.0, 68.4), right, names)
    assert wide.verdict == UNDECIDED
    assert wide.seeds_needed > 4


def test_a_weaker_correlation_is_one_whose_interval_is_lower():
    def body(noise, count):
        rng = np.random.default_rng(3)
        dims = (15, 31, 63, 127, 255)[:count]
        runs = [
            RunRecord(
                load_config("quick-cifar100").changed(
                    scheme="bch", dim=dim, mapping=mapping, preset="lindstrom"
                ),
                "done",
                test_accuracy=0.5 - dim / 1000 + noise * rng.standard_normal(),
                max_cosine=dim / 255,
            )
            for dim in dims
            for mapping in ("fixed", "random")
        ]
        return Results(tuple(runs))

    assert weaker(body(0.5, 5), body(0.001, 5)).verdict == HOLDS
    assert weaker(body(0.001, 5), body(0.5, 5)).verdict == DOES_NOT
    assert weaker(body(0.06, 5), body(0.05, 5)).verdict == UNDECIDED


def test_the_noise_of_a_scheme_is_found_again_from_few_seeds():
    rng = np.random.default_rng(5)
    deviation = 0.7
    seeds = 3
    shifts = rng.standard_normal(seeds)
    cells = {
        (scheme, dim, mapping): {
            s: dim / 10 + shifts[s] + deviation * rng.standard_normal()
            for s in range(seeds)
        }
        for scheme in ("bch", "reed_muller")
        for dim in range(100)
        for mapping in ("fixed", "random")
    }
    found = noise_by_scheme(cells)
    for noise in found.values():
        assert noise.free == pytest.approx(2 * 200 * (1 - 1 / 400))
        assert math.sqrt(noise.squares / noise.free) == pytest.approx(
            deviation, rel=0.1
        )
    some = {cell: own if cell[1] else {0: own[0]} for cell, own in cells.items()}
    assert noise_by_scheme(some)["bch"].free < found["bch"].free, (
        "cells without every seed say nothing"
    )


def test_noise_narrows_an_interval_that_three_seeds_leave_wide():
    names = ("a", "b")
    noise = Noise(squares=60 * 0.1**2, free=60)
    wide = higher(by_seed(50.0, 51.2, 50.7), by_seed(50.1, 49.7, 50.2), names)
    assert wide.verdict == UNDECIDED
    pair = [
        Sample(each.by_seed, "bch", 2, noise)
        for each in (by_seed(50.0, 51.2, 50.7), by_seed(50.1, 49.7, 50.2))
    ]
    narrow = difference(*pair)
    assert narrow.margin == pytest.approx(t.ppf(0.975, 60) * 0.1 / math.sqrt(3))
    assert higher(*pair, names).verdict == HOLDS


def test_two_are_near_if_their_whole_interval_is():
    names = ("a", "b")
    assert (
        within(by_seed(98.0, 98.1, 98.2), by_seed(97.5, 97.7, 97.7), names, 1.0).verdict
        == HOLDS
    )
    assert (
        within(by_seed(98.0, 98.1, 98.2), by_seed(95.5, 95.7, 95.7), names, 1.0).verdict
        == DOES_NOT
    )
    assert (
        within(by_seed(98.0, 99.1, 98.2), by_seed(97.9, 97.7, 97.7), names, 1.0).verdict
        == UNDECIDED
    )


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=8), st.floats(0.05, 3))
def test_so_many_seeds_would_decide_and_one_fewer_would_not(differences, distance):
    assume(stdev(differences) > 0.01)
    needed = seeds_to_decide(stdev(differences), len(differences), distance)

    def half(count):
        return t.ppf(0.975, count - 1) * stdev(differences) / math.sqrt(count)

    if needed == math.inf:
        assert half(MOST_SEEDS) >= distance
    else:
        assert half(needed) < distance
        assert needed == len(differences) + 1 or half(needed - 1) >= distance


def run_with(accuracy, dim=63, **seeds):
    config = load_config("quick-cifar100").changed(
        scheme="bch", dim=dim, mapping="random", preset="lindstrom", **seeds
    )
    return RunRecord(config, "done", test_accuracy=accuracy, max_cosine=0.3)


def test_variance_is_split_into_what_varied_alone():
    rng = np.random.default_rng(0)
    fixed = {"seed": 0, "prototype_seed": 0, "split_seed": 0}
    deviations = {"prototype_seed": 0.02, "seed": 0.01, "split_seed": 0.003}
    records = [
        run_with(0.4 + deviation * rng.standard_normal(), **fixed | {which: number})
        for which, deviation in deviations.items()
        for number in range(1, 200)
    ]
    found = {spread.factor: spread for spread in spreads(records)}
    assert set(found) == set(FACTORS)
    for factor, deviation in zip(FACTORS, deviations.values(), strict=True):
        assert found[factor].low < (100 * deviation) ** 2 < found[factor].high
    assert split_explains(Results(tuple(records))).verdict == DOES_NOT
    assert split_explains(Results(tuple(records[:398]))).verdict == NOT_RUN
    assert not Results(tuple(records)).grid, "they are no runs of the grid"


def test_codes_of_different_accuracy_share_one_variance():
    rng = np.random.default_rng(1)
    fixed = {"prototype_seed": 0, "split_seed": 0}
    records = [
        run_with(level + 0.01 * rng.standard_normal(), dim=dim, seed=seed, **fixed)
        for dim, level in ((31, 0.3), (63, 0.5))
        for seed in range(100)
    ]
    (found,) = spreads(records)
    assert found.factor == "network"
    assert found.runs == 200
    assert found.low < 1 < found.high < 1.5


@given(st.floats(0.05, 0.95), st.integers(8, 60))
def test_the_interval_of_r_squared_is_fishers(r_squared, count):
    line = Regression(count, -1.0, 0.0, r_squared, -2.0, 0.0, 0.1)
    low, high = line.r_squared_interval
    z = math.atanh(math.sqrt(r_squared))
    assert low <= r_squared <= high
    assert math.atanh(math.sqrt(high)) == pytest.approx(z + 1.96 / math.sqrt(count - 3))


def test_regression_against_a_known_line():
    line = regression([0, 1, 2, 3], [1, 3, 5, 7.5])
    assert line is not None
    assert line.slope == pytest.approx(2.15)
    assert line.low < 2 < line.high
    assert regression([1, 1, 1], [1, 2, 3]) is None


def line_of(r_squared, cells):
    return SimpleNamespace(
        line=lambda: Regression(cells, -1.0, 0.0, r_squared, -2.0, 0.0, 0.1)
    )


@given(st.floats(0.1, 0.8), st.floats(0.1, 0.8))
def test_so_many_cells_would_tell_two_correlations_apart_and_one_fewer_would_not(
    ours, theirs
):
    assume(0.01 < abs(ours - theirs) < 0.2)
    unsure = weaker(line_of(ours, 12), line_of(theirs, 12))
    assume(unsure.verdict == UNDECIDED)
    assert (
        weaker(
            line_of(ours, unsure.cells_needed), line_of(theirs, unsure.cells_needed)
        ).verdict
        != UNDECIDED
    )
    fewer = unsure.cells_needed - 1
    assert weaker(line_of(ours, fewer), line_of(theirs, fewer)).verdict == UNDECIDED
    assert (
        verdict_text(unsure, [])
        == f"not decided; {unsure.cells_needed} configurations of each would decide"
    )
