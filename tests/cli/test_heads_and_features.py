"""Heads of every kind, losses and features from the command line: trained, swept, drawn and reported together."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from protosphere.cli.app import COMMANDS
from protosphere.plots.accuracy import Trained, averages, series_styles

QUICK = ("--epochs", 1, "--train-images", 100)
SWEEP = 'dataset = "digits"\nepochs = 1\ntrain_images = 100\nschemes = ["simplex", "bch"]\ndims = [10, 15]\n'


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("flags", "title", "dim"),
    [
        (("--head", "linear"), "learned layer", 10),
        (("--head", "bottleneck", "--dim", 5), "learned bottleneck", 5),
        (
            (
                "--scheme",
                "simplex",
                "--preset",
                "protosphere",
                "--loss",
                "additive_angular_margin",
            ),
            "simplex",
            10,
        ),
        (
            (
                "--scheme",
                "simplex",
                "--optimizer",
                "adamw",
                "--lr",
                "0.001",
                "--warmup",
                "0.5",
            ),
            "simplex",
            10,
        ),
        (
            ("--scheme", "simplex", "--preset", "protosphere", "--scale", "learn"),
            "simplex",
            10,
        ),
    ],
)
def test_heads_and_losses(run, flags, title, dim):
    answer = run("train", "digits", *flags, *QUICK, "--json")
    assert answer.exit_code == 0, answer.err
    assert answer.json["status"] == "done"
    assert answer.json["config"]["dim"] == dim
    assert set(answer.json["metrics"]) >= {
        "test_top5_accuracy",
        "test_calibration_error",
    }
    again = run("train", "digits", *flags, *QUICK)
    assert f"digits: {title}, n = {dim}" in again.out
    assert "test top-5 accuracy" in again.out


def test_features(run, here):
    rng = np.random.default_rng(0)
    means = rng.standard_normal((5, 12))
    y = np.arange(300) % 5
    x = (20 * means[y] + rng.standard_normal((300, 12))).clip(-127, 127).astype(np.int8)
    np.savez(
        here / "mine.npz",
        x_train=x[:250],
        y_train=y[:250],
        x_test=x[250:],
        y_test=y[250:],
        step=np.full(12, 0.1),
    )
    for backbone in ("linear", "mlp(16)"):
        flags = (
            "--scheme",
            "simplex",
            "--backbone",
            backbone,
            "--batch-size",
            16,
            "--lr",
            0.1,
        )
        answer = run("train", "mine.npz", *flags, "--json")
        assert answer.exit_code == 0, answer.err
        assert answer.json["config"]["epochs"] == 12, "the quick config of features"
        assert answer.json["test_accuracy"] > 0.9
    refused = run("train", "mine.npz", "--backbone", "small")
    assert (refused.exit_code, refused.err.count("\n")) == (2, 1)
    assert (
        "'small' takes images, and the data is of 12 features; try linear, mlp"
        in refused.err
    )
    assert (
        "move pixels, and 'mine.npz' has none"
        in run("train", "mine.npz", "--pad", 2).err
    )


def test_heads_and_schemes_in_one_figure_and_one_report(run, here):
    (here / "heads.toml").write_text(
        SWEEP + 'heads = ["prototypes", "linear", "bottleneck"]\nseeds = [0, 1]\n'
    )
    answer = run("sweep", "heads.toml")
    assert answer.exit_code == 0, answer.err
    assert answer.out == "14 runs: 12 done, 2 infeasible; in runs\n"
    assert "learned layer, n = 10, seed 0: " in answer.err
    assert "learned bottleneck, n = 15, seed 1: " in answer.err
    drawn = run(
        "report",
        "runs",
        "--html",
        "report.html",
        "--figures",
        "figures",
        "--export",
        "runs.csv",
    )
    assert drawn.exit_code == 0, drawn.err
    page = (here / "report.html").read_text()
    assert "learned layer, n = 10:" in page
    assert "learned bottleneck" in page
    assert "test calibration error" in page
    table = (here / "figures" / "digits-accuracy.csv").read_text()
    assert {line.split(",")[0] for line in table.splitlines()[1:]} == {
        *("simplex", "bch", "learned layer", "learned bottleneck")
    }
    assert (here / "figures" / "digits-cosine.png").stat().st_size > 10_000
    assert run("report", "runs.csv", "--html", "again.html").exit_code == 0


def test_variants_are_told_apart():
    runs = [
        Trained("best", 16, "fixed", 0, 0.1, 0.5, variant)
        for variant in ("lindstrom", "mettes", "protosphere")
    ]
    styles = series_styles(averages(runs))
    assert len({(style.color, style.marker) for style in styles.values()}) == 3


def test_the_first_example_of_features_runs(run, here):
    words = shlex.split(COMMANDS["features"].examples[0])
    answer = run("features", *words)
    assert answer.exit_code == 0, answer.err
    assert (here / words[-1]).exists()


def test_the_examples_of_paired_run_after_a_sweep(run, here):
    learned = 'heads = ["linear", "bottleneck"]'
    sweep = SWEEP.replace('schemes = ["simplex", "bch"]', learned)
    (here / "digits.toml").write_text(sweep + "seeds = [0, 1]\n")
    assert run("sweep", "digits.toml", "--export", "digits.csv").exit_code == 0
    for example in COMMANDS["paired"].examples:
        answer = run("paired", *shlex.split(example))
        assert answer.exit_code == 0, answer.err
