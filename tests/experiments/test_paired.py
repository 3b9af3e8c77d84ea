"""Methods to train compared seed by seed, against scipy's paired test."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

from protosphere.cli.app import main
from protosphere.cli.finished_runs import methods_of, trained_runs
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.paired import FIELDS, compared, reference_method
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import write_table
from protosphere.statistics.intervals import mean_with_interval


def record(
    seed: int, test: float, validation: float = 0.5, **settings: object
) -> RunRecord:
    config = TrainingConfig(seed=seed, **settings)  # pyright: ignore[reportArgumentType]
    return RunRecord(
        config,
        "done",
        test_accuracy=test,
        validation_accuracy=validation,
        metrics={"test_top5_accuracy": test / 2},
    )


@pytest.fixture
def records() -> list[RunRecord]:
    rng = np.random.default_rng(0)
    learned = [
        record(s, 0.6 + 0.01 * rng.standard_normal(), head="bottleneck", dim=5)
        for s in range(5)
    ]
    fixed = [
        record(s, r.test_accuracy - 0.02 + 0.001 * s, scheme="cross_polytope", dim=5)
        for s, r in enumerate(learned)
    ]
    tempting = [
        record(s, 0.99, 0.4, scheme="cross_polytope", dim=5, lr=0.5) for s in range(5)
    ]
    return [*learned, *fixed, *tempting]


def series(record: RunRecord) -> str:
    return record.config.series


def test_mean_and_interval_are_those_of_the_t_test() -> None:
    values = np.random.default_rng(1).standard_normal(7)
    found = mean_with_interval(values.tolist())
    oracle = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.margin is not None
    assert found.value - found.margin == pytest.approx(oracle.low)
    assert found.value + found.margin == pytest.approx(oracle.high)


def test_differences_are_paired_and_rates_chosen_on_validation(
    records: list[RunRecord],
) -> None:
    learned, fixed = compared(reversed(records), series, "learned bottleneck")[::-1]
    assert (learned.method, learned.difference, fixed.lr, fixed.seeds) == (
        "learned bottleneck",
        None,
        0.1,
        5,
    )
    pairs = [
        [100 * (r.test_accuracy or 0) for r in records[start : start + 5]]
        for start in (5, 0)
    ]
    oracle = stats.ttest_rel(*pairs).confidence_interval(0.95)
    assert fixed.difference is not None
    assert fixed.difference.margin is not None
    assert fixed.difference.value - fixed.difference.margin == pytest.approx(oracle.low)
    assert fixed.mean.margin is not None
    assert fixed.difference.margin < fixed.mean.margin


def test_other_metrics_and_what_there_is_not(records: list[RunRecord]) -> None:
    rows = compared(records, series, "learned bottleneck", "test_top5_accuracy")
    assert rows[0].mean.value == pytest.approx(
        50 * np.mean([r.test_accuracy for r in records[:5]])
    )
    assert set(FIELDS) == {
        f.name for f in fields(RunRecord) if f.type == "float | None"
    }
    with pytest.raises(
        InvalidArgumentError, match="'metric' must be a column of the results"
    ):
        compared(records, series, "learned bottleneck", "test_top7_accuracy")
    with pytest.raises(
        InvalidArgumentError,
        match=r"'against' must be a method of the results .learned bottleneck; cross",
    ):
        compared(records, series, "bottleneck")
    with pytest.raises(
        InvalidArgumentError, match=r"got 'learned layer', the default$"
    ):
        compared(records, series, "learned layer")


def test_a_reference_of_one_dimension_serves_all() -> None:
    runs = [record(s, 0.5, dim=10, head="linear") for s in (0, 1)]
    runs += [record(s, 0.4, dim=5, scheme="cross_polytope") for s in (0, 1)]
    rows = {row.method: row for row in compared(runs, series, "learned layer")}
    assert rows["cross_polytope"].difference is not None
    assert rows["cross_polytope"].difference.value == pytest.approx(-10)


def test_the_command(records: list[RunRecord], tmp_path, capsys, monkeypatch) -> None:
    table = write_table(records, tmp_path / "runs.csv")
    assert (
        main(["paired", str(table), "--against", "learned bottleneck", "--json"]) == 0
    )
    rows = json.loads(capsys.readouterr().out)
    assert [row["method"] for row in rows] == ["learned bottleneck", "cross_polytope"]
    assert (
        main(["paired", str(table), "--against", "learned bottleneck", "--markdown"])
        == 0
    )
    assert "| cross_polytope | 5 | 0.1 | 5 | " in capsys.readouterr().out
    assert main(["paired", str(table), "--against", "learned bottleneck"]) == 0
    picture = tmp_path / "methods.png"
    chosen = [
        "--method",
        "cross_polytope",
        "--method",
        "learned bottleneck",
        "--figure",
        str(picture),
    ]
    assert main(["paired", str(table), "--against", "learned bottleneck", *chosen]) == 0
    assert picture.stat().st_size > 1000
    assert (
        main(
            [
                "paired",
                str(table),
                "--against",
                "learned bottleneck",
                "--method",
                "simplex",
            ]
        )
        == 2
    )
    assert "'--method' must be one of" in capsys.readouterr().err
    assert main(["paired", str(table)]) == 2
    assert "learned bottleneck; cross_polytope" in " ".join(
        capsys.readouterr().err.split()
    )
    monkeypatch.setattr("protosphere.cli.paired.MOST_DRAWN", 1)
    assert (
        main(
            [
                "paired",
                str(table),
                "--against",
                "learned bottleneck",
                "--figure",
                str(tmp_path / "w.png"),
            ]
        )
        == 2
    )
    assert "choose some by '--method'" in capsys.readouterr().err


def test_the_beginning_of_a_name_is_enough_for_the_reference() -> None:
    names = ["bch, fixed", "bch, random", "bch", "learned bottleneck, epochs 6"]
    assert reference_method(names, "learned b") == "learned bottleneck, epochs 6"
    assert reference_method(names, "bch") == "bch", "a full name is never ambiguous"
    with pytest.raises(
        InvalidArgumentError,
        match=r"got 'bch,', with which several .*: bch, fixed; bch, random$",
    ):
        reference_method(names, "bch,")
    runs = [record(s, 0.5, scheme="bch", dim=15, mapping="random") for s in (0, 1)]
    runs += [record(s, 0.4, scheme="simplex", dim=15) for s in (0, 1)]
    (_, simplex) = compared(runs, lambda run: f"{run.config.series}, x", "bch")
    assert simplex.difference is not None
    assert simplex.difference.value == pytest.approx(-10)


def test_after_runs_of_other_epochs_the_head_is_still_found(tmp_path, capsys) -> None:
    runs = [record(s, 0.5, head="bottleneck", dim=5, epochs=6) for s in (0, 1)]
    runs.append(record(0, 0.4, scheme="bch", dim=15, epochs=5))
    table = str(write_table(runs, tmp_path / "runs.csv"))
    assert main(["paired", table, "--against", "learned bottleneck"]) == 0
    assert "epochs 6" in " ".join(capsys.readouterr().out.split()).partition("┏")[0]


def test_runs_on_two_datasets_are_not_compared(tmp_path, capsys) -> None:
    runs = [record(0, 0.5, head="linear", dataset=name) for name in ("digits", "mnist")]
    table = str(write_table(runs, tmp_path / "runs.csv"))
    assert main(["paired", table]) == 2
    assert "choose one by --dataset" in capsys.readouterr().err
    assert main(["paired", table, "--dataset", "mnist"]) == 0


def test_a_number_of_prototypes_that_is_not_used_is_not_in_a_name() -> None:
    runs = [
        record(0, 0.5, objective="noise_as_targets"),
        record(0, 0.5, objective="swav", num_prototypes=24),
        record(0, 0.5, objective="swav", num_prototypes=32),
        record(0, 0.5),
    ]
    names = [methods_of(runs)[run.digest] for run in runs]
    assert ["prototypes" in name for name in names] == [False, True, True, False]
    assert "prototypes" not in " ".join(methods_of(runs[:2]).values())


def test_figures_and_tables_tell_runs_apart_by_whose_similarity() -> None:
    settings = {"scheme": "cross_polytope", "dim": 5, "mapping": "align"}
    runs = [
        record(0, 0.5, **settings),
        record(0, 0.4, similarity="logits", **settings),
        record(0, 0.3, dim=5, label_noise=0.2),
    ]
    assert [run.variant for run in trained_runs(runs)] == [
        "seen",
        "logits",
        "label noise 0.2",
    ]
