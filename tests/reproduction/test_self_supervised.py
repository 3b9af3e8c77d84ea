"""The study without labels: temperatures are chosen on held-out images, differences are of equal seeds."""

from __future__ import annotations

import pytest

from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import config_from
from protosphere.experiments.record import RunRecord
from protosphere.statistics.intervals import Mean
from reproduction.self_supervised import (
    NARROW,
    RANDOM,
    SEPARATED,
    WIDE,
    method_of,
    method_results,
    paired_difference,
    prediction,
    verdict,
)


def record(
    scheme: str,
    seed: int,
    test: float,
    validation: float,
    temperature: float = 0.1,
    cosine: float = 0.5,
    dim: int = 32,
) -> RunRecord:
    config = config_from(
        {
            "objective": "swav",
            "scheme": scheme,
            "seed": seed,
            "dim": dim,
            "temperature": temperature,
        }
    )
    return RunRecord(
        config,
        "done",
        test_accuracy=test,
        validation_accuracy=validation,
        max_cosine=cosine,
    )


def test_temperature_is_chosen_on_held_out_images() -> None:
    records = [
        record("uniform", 0, test=0.9, validation=0.1, temperature=0.1),
        record("uniform", 0, test=0.2, validation=0.3, temperature=0.2),
    ]
    (result,) = method_results(records)
    assert result.temperature == 0.2
    assert result.values() == {0: pytest.approx(20.0)}


def test_temperature_with_fewer_seeds_is_not_chosen() -> None:
    records = [
        record("uniform", 0, 0.1, 0.1),
        record("uniform", 1, 0.1, 0.1),
        record("uniform", 0, 0.9, 0.9, temperature=0.2),
    ]
    (result,) = method_results(records)
    assert result.temperature == 0.1


def test_differences_are_of_runs_with_the_same_seed_and_setting() -> None:
    records = [
        record("best", 0, 0.30, 0.3),
        record("best", 1, 0.10, 0.3),
        record("uniform", 0, 0.20, 0.3),
        record("uniform", 1, 0.05, 0.3),
        record("uniform", 2, 0.99, 0.3),
        record("best", 0, 0.99, 0.3, dim=64),
    ]
    difference = paired_difference(method_results(records), SEPARATED, RANDOM)
    assert difference is not None
    assert difference.value == pytest.approx(7.5)


def test_verdict_follows_from_the_interval() -> None:
    assert verdict(Mean(2.0, 1.0)) == "helps"
    assert verdict(Mean(-2.0, 1.0)) == "hurts"
    assert verdict(Mean(0.5, 1.0)) == "not decided"
    assert verdict(Mean(2.0, None)) == "not decided"


def test_prediction_ignores_that_settings_differ_in_difficulty() -> None:
    records = [
        record(scheme, 0, accuracy + easier, 0.3, cosine=cosine, dim=dim)
        for dim, easier in ((16, 0.0), (64, 0.5))
        for scheme, accuracy, cosine in (
            ("best", 0.1, 0.2),
            ("uniform", 0.2, 0.4),
            ("rotated_bases", 0.3, 0.6),
        )
    ]
    line = prediction(method_results(records), "max_cosine")
    assert line is not None
    assert line.r_squared == pytest.approx(1.0)


def test_clusters_are_narrow_or_wide_by_their_spread() -> None:
    settings = {"objective": "swav", "scheme": "clusters", "dim": 8}
    narrow = config_from(settings | {"scheme_options": {"spread": 0.3}})
    wide = config_from(settings | {"scheme_options": {"spread": 0.6}})
    assert method_of(narrow) == NARROW
    assert method_of(wide) == WIDE


def test_scheme_outside_the_study_is_refused() -> None:
    config = config_from({"objective": "swav", "scheme": "bch", "dim": 15})
    with pytest.raises(InvalidArgumentError, match="the study has no scheme 'bch'"):
        method_of(config)
