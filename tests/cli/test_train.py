"""`train`, `sweep` and `report` from the command line."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from protosphere.cli.report import accuracy_lines, heading
from protosphere.data import DATASETS
from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord

QUICK = ("--epochs", 1, "--train-images", 100)
SWEEP = 'dataset = "digits"\nepochs = 1\ntrain_images = 100\nschemes = ["one_hot", "bch"]\ndims = [10, 15]\n'


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_train(run, here):
    answer = run("train", *QUICK, "--scheme", "bch", "--json")
    assert answer.exit_code == 0
    assert answer.json["status"] == "done"
    assert answer.json["config"]["dim"] == 15
    assert "epoch 1/1  loss" in answer.err
    assert "images/s" in answer.err
    again = run("train", *QUICK, "--scheme", "bch")
    assert "test accuracy" in again.out
    assert "epoch" not in again.err, "it was finished"


def test_a_scheme_designed_for_the_similarity_that_training_finds(run, here):
    answer = run(
        "train",
        *QUICK,
        "--scheme",
        "semantic",
        "--mapping",
        "align",
        "--scheme-option",
        "steps=3",
        "--json",
    )
    assert answer.exit_code == 0, answer.err
    assert (answer.json["status"], answer.json["config"]["dim"]) == ("done", 10)
    (here / "tree.txt").write_text(
        "".join(
            f"{digit} {'even' if digit % 2 == 0 else 'odd'}\n" for digit in range(10)
        )
    )
    tree = run(
        "train",
        *QUICK,
        "--scheme",
        "hierarchical",
        "--scheme-option",
        "tree=tree.txt",
        "--dry-run",
    )
    assert (tree.exit_code, "dim = 10" in tree.out) == (0, True), tree.err
    without = run("train", *QUICK, "--scheme", "semantic")
    assert (without.exit_code, "'semantic' needs 'similarity'" in without.err) == (
        2,
        True,
    )


def test_dry_run_can_be_given_back(run, here):
    flags = (
        "--scheme",
        "log_sum_exp",
        "--dim",
        5,
        "--scheme-option",
        "steps=10",
        "--mapping",
        "random",
        "--lr",
        "0.3",
    )
    plan = run("train", *flags, "--dry-run")
    (here / "plan.toml").write_text(plan.out)
    again = run("train", "--config", "plan.toml", "--dry-run")
    assert again.out == plan.out
    assert run("train", "--dry-run", "--json").json["scheme"] == "best"
    modified = run(
        "train", "--scheme", "bch", "--dim", 8, "--modify", "--dry-run", "--json"
    ).json
    assert modified["scheme_options"] == {"modify": True}


@pytest.mark.parametrize(
    ("flags", "dim"), [((), 7), (("--dim", 9), 9), (("--head", "bottleneck"), 7)]
)
def test_the_dimension_of_a_config_file_holds_unless_a_flag_gives_another(
    run, here, flags, dim
):
    (here / "mine.toml").write_text('dataset = "digits"\ndim = 7\n')
    plan = run("train", "--config", "mine.toml", *flags, "--dry-run", "--json").json
    assert plan["dim"] == dim


def test_a_config_file_without_a_dimension_gets_one_that_its_scheme_has(run, here):
    (here / "mine.toml").write_text('dataset = "digits"\nscheme = "bch"\n')
    plan = run("train", "--config", "mine.toml", "--dry-run", "--json").json
    assert plan["dim"] == 15


def test_a_dimension_of_a_config_file_that_its_scheme_does_not_have_is_refused(
    run, here
):
    (here / "mine.toml").write_text('dataset = "digits"\nscheme = "bch"\ndim = 8\n')
    answer = run("train", "--config", "mine.toml", "--dry-run")
    assert answer.exit_code == 2
    assert "nearest: 7, 15" in answer.err


@pytest.mark.parametrize(
    ("arguments", "exit_code", "sentence"),
    [
        (["train", "mnits"], 2, "did you mean 'mnist'"),
        (["train", "none.npz"], 2, "there is no such file"),
        (["train", "--scheme", "bhc"], 2, "did you mean 'bch'"),
        (["train", "--scheme", "bch", "--dim", "8"], 2, "nearest: 7, 15; or --modify"),
        (["train", "--config", "quick"], 2, "'config' is not one we know"),
        (["train", "--epochs", "many"], 2, "'many' is not an integer"),
        (["train", "--devices", "0"], 2, "'devices' must be an integer of at least 1"),
        (["train", "--accelerator", "abacus", *map(str, QUICK)], 2, "abacus"),
        (
            ["train", "--backbone", "no.such.Net", *map(str, QUICK)],
            2,
            "cannot be imported",
        ),
        (
            ["train", "--backbone", ".", *map(str, QUICK)],
            2,
            "'backbone' is not one we know",
        ),
        (
            ["train", "--backbone", "builtins.int", *map(str, QUICK)],
            2,
            "must take one of dim",
        ),
        (["train", "--threads", str(10**10)], 2, "'threads' must be at most 1024"),
        (
            ["train", "--lr", "1e308"],
            2,
            "'lr' must be a number above 0 and below 1e+38",
        ),
        (
            ["train", "--head", "linear", "--scheme", "bch"],
            2,
            "'scheme' goes with head 'prototypes'",
        ),
        (
            ["train", "--head", "linear", "--dim", "7", *map(str, QUICK)],
            2,
            "must be the number of classes, 10, got 7",
        ),
        (["train", "--loss", "hinge"], 2, "'loss' is not one we know"),
        (
            [
                "train",
                "--preset",
                "protosphere",
                "--loss",
                "additive_cosine_margin",
                "--loss-option",
                "margin=3",
                *map(str, QUICK),
            ],
            2,
            "'margin' must be below 1",
        ),
        (
            ["train", "--backbone", "raising.network", *map(str, QUICK)],
            1,
            "the run failed: KeyError: 'weights'",
        ),
        (["train", "--scheme-option", "steps"], 2, "KEY=VALUE"),
        (
            ["train", "--train-images", "100", "--lr", "1e30", "--epochs", "3"],
            1,
            "the loss is",
        ),
        (["sweep", "none.toml"], 2, "there is no such file"),
        (["sweep", "sweep.toml", "--workers", "0"], 2, "'workers' must be"),
        (["sweep", "sweep.toml", "--ray", "a", "b"], 2, "one address, got a b"),
        (["report", "none"], 2, "there is no such file or folder"),
        (["report", ".", "--html", "r.html"], 2, "has no runs yet"),
        (["report", ".", "--html", "r.pdf"], 2, "must end in .html"),
        (
            ["catalogue", "--file", "sweep.toml"],
            2,
            "'sweep.toml': not a catalogue, or a damaged one\n",
        ),
        (
            ["construct", "hierarchical", "-K", "10", "-n", "9"],
            2,
            "'construct' takes --tree",
        ),
    ],
)
def test_bad_input_is_one_sentence(run, here, arguments, exit_code, sentence):
    (here / "sweep.toml").write_text(SWEEP)
    (here / "raising.py").write_text("def network(dim):\n    return {}['weights']\n")
    answer = run(*arguments)
    assert answer.exit_code == exit_code
    assert sentence in answer.err
    assert answer.err.splitlines()[-1].startswith("protosphere: ")
    assert "Traceback" not in answer.err


def test_missing_and_corrupt_data_are_one_sentence(run, here, monkeypatch):
    monkeypatch.delenv("PROTOSPHERE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    entry = DATASETS["cifar100"]
    gone = replace(
        entry, files=(replace(entry.files[0], url="http://127.0.0.1:9/archive"),)
    )
    monkeypatch.setitem(DATASETS._entries, "cifar100", gone)
    missing = run("train", "cifar100", *QUICK)
    assert missing.exit_code == 2
    assert "put cifar-100-binary.tar.gz into" in missing.err
    (here / "cifar-100-binary.tar.gz").write_bytes(b"no archive")
    corrupt = run("train", "cifar100", *QUICK, "--data-dir", here)
    assert corrupt.exit_code == 2
    assert "cifar-100-binary.tar.gz': truncated or not a tar archive" in corrupt.err
    assert corrupt.err.count("\n") == missing.err.count("\n") == 1


def test_a_sweep_and_its_report(run, here):
    (here / "sweep.toml").write_text(SWEEP)
    assert "4 runs of 4 epochs in all" in run("sweep", "sweep.toml", "--dry-run").out
    answer = run("sweep", "sweep.toml", "--export", "runs.csv")
    assert answer.out == "4 runs: 3 done, 1 infeasible; in runs\n"
    assert "[3/4] bch, n = 10, fixed, seed 0: infeasible, 'bch' needs" in answer.err
    assert run("sweep", "sweep.toml", "--json").json[0]["status"] == "done"
    for source in ("runs", "runs.csv"):
        assert (
            run(
                "report", source, "--html", "report.html", "--export", "again.csv"
            ).exit_code
            == 0
        )
        page = (here / "report.html").read_text()
        assert "Plotly.newPlot" in page
        assert 'src="http' not in page
        assert "href=" not in page.split("</style>")[0]
        assert (here / "again.csv").read_text().count("\n") == 5


def test_a_report_has_the_mean_accuracy_of_each_scheme_and_dimension():
    plan = load_config("quick-digits")
    records = [
        RunRecord(
            plan.changed(scheme="simplex", dim=9, seed=seed),
            "done",
            test_accuracy=accuracy,
        )
        for seed, accuracy in enumerate([0.25, 0.75])
    ]
    records.append(
        RunRecord(plan.changed(scheme="simplex", dim=12), "done", test_accuracy=0.5)
    )
    records.append(RunRecord(plan.changed(scheme="simplex", dim=3), "infeasible"))
    first, second = accuracy_lines(records)
    assert "n = 9: 50.00 % (2 runs)" in first
    assert "n = 12: 50.00 % (1 run)" in second


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"lr": 0.0001}, "lr 0.0001"),
        ({"epochs": 2}, "epochs 2"),
        ({"mapping": "random"}, "random"),
        ({"batch_size": 7}, "batch size 7"),
        ({"objective": "swav"}, "swav"),
    ],
)
def test_a_report_does_not_average_runs_that_differ_in_more_than_the_seed(
    settings, name
):
    plan = load_config("quick-digits").changed(scheme="simplex", dim=9, preset="auto")
    lines = accuracy_lines(
        [
            RunRecord(plan, "done", test_accuracy=0.9),
            RunRecord(plan.changed(**settings), "done", test_accuracy=0.1),
            RunRecord(plan.changed(**settings, seed=1), "done", test_accuracy=0.3),
        ]
    )
    assert len(lines) == 2
    assert "90.00 % (1 run)" in lines[0]
    assert "20.00 % (2 runs)" in lines[1]
    assert name in lines[1]


@pytest.mark.parametrize(
    "tuned",
    [{"temperature": 0.2}, {"objective_options": {"teacher_temp": 0.07}}],
)
def test_a_report_does_not_average_temperatures_or_options(tuned):
    plan = load_config("quick-digits").changed(objective="dino", dim=9)
    records = [
        RunRecord(each, "done", test_accuracy=0.5)
        for each in (plan, plan.changed(**tuned))
    ]
    assert len(accuracy_lines(records)) == 2


def test_a_report_counts_finished_runs_and_those_that_have_no_accuracy():
    plan = load_config("quick-digits")
    statuses = ["failed", "done", "infeasible", "done", "failed"]
    records = [
        RunRecord(plan.changed(seed=seed), status)
        for seed, status in enumerate(statuses)
    ]
    assert heading(records).startswith(
        "2 finished runs on digits (2 failed, 1 infeasible)"
    )
    assert heading(records[1:2]).startswith("1 finished run on digits:")


def test_targets_per_image_are_counted(run):
    arguments = ("train", *QUICK, "--objective", "noise_as_targets", "--dim", 16)
    shown = run(*arguments).out
    assert "K = 512" not in shown
    assert re.search(r"prototypes +80, one for each training image", shown)
    assert "K = 512" in run("train", *QUICK, "--objective", "swav", "--dim", 16).out


def test_the_sweep_of_the_demo_is_one(run, request):
    file = request.config.rootpath / "examples" / "digits.toml"
    plan = run("sweep", file, "--dry-run", "--json").json
    assert {row["scheme"] for row in plan} == {"one_hot", "simplex", "bch"}
    assert json.dumps(plan)
    assert load_config("quick-digits").epochs == plan[0]["epochs"]


def test_a_config_names_its_dataset(run):
    plan = run(
        "train",
        "--config",
        "paper-cifar100",
        "--scheme",
        "simplex",
        "--dry-run",
        "--json",
    ).json
    assert (plan["dataset"], plan["dim"]) == ("cifar100", 100)


def test_a_trained_run_is_reported_and_a_sweep_finds_it_done(run, here):
    (here / "sweep.toml").write_text(SWEEP)
    trained = run("train", *QUICK, "--scheme", "one_hot", "--dim", 15, "--json").json
    assert run("report").exit_code == 0
    (row,) = run("report", "--json").json["runs"]
    assert (row["scheme"], row["n"], row["ended"]) == ("one_hot", 15, "done")
    swept = run("sweep", "sweep.toml", "--json")
    assert "one_hot, n = 15" not in swept.err, "it was finished"
    rows = {row["digest"]: row for row in swept.json}
    assert rows[trained["digest"]]["weights"] == trained["weights"]
    compared = run("paired", "--against", "one_hot", "--json")
    assert {row["method"] for row in compared.json} == {"one_hot", "bch"}


def test_a_run_that_a_sweep_did_is_not_trained_again(run, here):
    (here / "sweep.toml").write_text(SWEEP)
    run("sweep", "sweep.toml")
    trained = run("train", *QUICK, "--scheme", "bch", "--dim", 15, "--json")
    assert trained.json["status"] == "done"
    assert "epoch" not in trained.err
    assert (here / trained.json["folder"] / "weights.safetensors").exists()


def test_two_sweeps_that_share_a_store_share_its_runs(run, here):
    (here / "a.toml").write_text(SWEEP)
    (here / "b.toml").write_text(SWEEP.replace('["one_hot", "bch"]', '["one_hot"]'))
    run("sweep", "a.toml")
    second = run("sweep", "b.toml")
    assert second.out == "2 runs: 2 done; in runs\n"
    assert "one_hot" not in second.err
