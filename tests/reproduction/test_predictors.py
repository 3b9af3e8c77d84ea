"""Which number of a code predicts accuracy, on runs whose answer is known."""

from __future__ import annotations

import numpy as np

from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord
from reproduction.predictors import predictors

SCHEMES = ("bch", "reed_muller", "uniform", "log_sum_exp", "best")


def runs(seed, accuracy):
    """Two seeds of each cell; energy and agreement are drawn anew for every cell, max cosine for every scheme."""
    rng = np.random.default_rng(seed)
    for scheme in SCHEMES:
        cosine = float(rng.uniform(0, 0.5))
        for dim in range(20, 40):
            energy = np.exp(rng.normal())
            agreement = float(rng.uniform(-1, 1))
            metrics = {
                "code_energy": float(energy),
                "code_agreement": agreement,
                "code_mean_square": 0.1,
            }
            for number in range(2):
                config = load_config("quick-features").changed(
                    scheme=scheme,
                    dim=dim,
                    seed=number,
                    mapping="random",
                    preset="lindstrom",
                )
                value = (
                    accuracy(cosine, np.log(energy), agreement)
                    + 0.002 * rng.standard_normal()
                )
                yield RunRecord(
                    config,
                    "done",
                    test_accuracy=float(value),
                    max_cosine=cosine,
                    metrics=metrics,
                )


def test_the_number_that_made_the_accuracy_comes_first():
    found = predictors(
        list(runs(0, lambda cosine, energy, agreement: 0.6 - 0.02 * energy))
    )
    assert found[0].name == "log energy"
    assert found[0].r_squared > 0.95
    assert found[0].held_out > 0.95
    assert found[0].low < found[0].r_squared < found[0].high + 1e-9
    assert {one.name for one in found} == {
        "log energy",
        "max cosine",
        "agreement with the classes",
    }, "what no record has, or all have the same of, is left out"
    assert all(one.r_squared < 0.2 for one in found[1:])


def test_what_only_tells_schemes_apart_explains_nothing_of_another_scheme():
    """Each scheme has its own level, and its own max cosine by chance: a line fits them, and fails on the next."""
    levels = iter(np.repeat([0.5, 0.7, 0.4, 0.6, 0.45], 40).tolist())
    found = {
        one.name: one for one in predictors(list(runs(3, lambda *_: next(levels))))
    }
    assert found["max cosine"].held_out < 0 < found["max cosine"].r_squared
    assert found["max cosine"].high - found["max cosine"].low > 0.3


def test_learned_layers_have_no_code():
    record = RunRecord(
        load_config("quick-features").changed(head="linear", dim=100),
        "done",
        test_accuracy=0.5,
    )
    assert predictors([record]) == []
