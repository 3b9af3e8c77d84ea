"""`python -m reproduction`: `reproduce`, `claims`, `antipodal` and `cube` from the command line."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from importlib import import_module

import pytest

from protosphere.data import load_dataset
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store, read_table, write_table
from reproduction.app import COMMANDS
from reproduction.experiments import DECISIVE, paper_runs


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def finished(configs):
    """Records as if the runs had been done: worse for larger cosines, with the seeds' own noise."""
    return [
        RunRecord(
            r,
            "done",
            test_accuracy=0.98 - 0.01 * (r.dim < 10) + r.seed / 1000,
            max_cosine=1 / r.dim,
            seconds=1.0,
        )
        for r in configs
    ]


def test_reproduce_goes_on_from_a_table_and_draws(
    run, here, monkeypatch, digits_as_mnist
):
    configs = paper_runs("mnist", "quick")
    assert len(configs) >= 40
    write_table(finished(configs), here / "mnist.csv")
    answer = run("reproduce", "mnist", "--results", "mnist.csv", "--figures", "figures")
    assert answer.exit_code == 0, answer.err
    assert answer.out.startswith("60 runs: 60 done")
    assert "accuracy (%) against max cosine: slope -" in answer.out
    names = {
        f"mnist-quick-{kind}{ending}"
        for kind in ("accuracy", "cosine")
        for ending in (".png", ".pdf", ".csv")
    }
    assert {path.name for path in (here / "figures").iterdir()} == names
    assert "16 runs" in run("reproduce", "cifar100", "--dry-run").out
    assert (
        "150 runs of 30000 epochs"
        in run("reproduce", "mnist", "--budget", "paper", "--dry-run").out
    )


def test_reproduce_all_goes_on_from_a_folder_of_tables(run, here, digits_as_mnist):
    (here / "results").mkdir()
    for plan in DECISIVE:
        write_table(
            finished(paper_runs(*plan)), here / "results" / f"{'-'.join(plan)}.csv"
        )
    before = {path.name: path.read_bytes() for path in (here / "results").iterdir()}
    answer = run("reproduce", "all", "--results", "results", "--figures", "figures")
    assert answer.exit_code == 0, answer.err
    assert [
        line.split(" runs:")[0] for line in answer.out.splitlines() if " runs:" in line
    ] == ["959", "210", "150"]
    assert {
        path.name: path.read_bytes() for path in (here / "results").iterdir()
    } == before
    assert {path.name.partition("-")[0] for path in (here / "figures").iterdir()} == {
        "cifar100",
        "mnist",
    }
    assert (
        run("reproduce", "all", "--dry-run")
        .out.splitlines()[-1]
        .startswith("1319 runs")
    )
    refused = run("reproduce", "all", "--results", "one.csv")
    assert (refused.exit_code, "must be a folder" in refused.err) == (2, True)


def test_reproduce_interrupted_leaves_a_table_of_what_was_run(
    run, here, monkeypatch, digits_as_mnist
):
    def interrupted(configs, images, place, engine, **rest):
        for record in finished(configs[:40]):
            place.finish(record)
            yield record
        raise KeyboardInterrupt

    monkeypatch.setattr("protosphere.cli.sweeping.run_sweep", interrupted)
    assert run("reproduce", "mnist", "--results", "mnist.csv").exit_code == 130
    records = read_table(here / "mnist.csv")
    assert [record.config for record in records] == paper_runs("mnist", "quick")[:40]
    assert [record.config.seed for record in records] == [0] * 30 + [1] * 10, (
        "the whole grid, then the next seed"
    )


@pytest.fixture
def digits_as_mnist(monkeypatch):
    """No test needs the real files where nothing is trained."""
    monkeypatch.setattr(
        "protosphere.cli.sweeping.load_dataset",
        lambda name, **rest: load_dataset("digits"),
    )


def test_claims(run, here):
    store = Store(here / "store")
    for record in finished(paper_runs("mnist", "quick")):
        store.add(record)
    rows = run("claims", "store", "-o", "claims.md", "--json").json
    verdicts = {row["claim"]: row["verdict"] for row in rows}
    assert verdicts["A lower maximum cosine tends to give a higher accuracy"] == "holds"
    assert (
        verdicts["The simplex at n = 99 is more accurate than all other schemes"]
        == "not run"
    )
    assert all(row["our figures"] for row in rows if row["verdict"] == "holds"), (
        "none holds without figures"
    )
    lines = run("claims", "store").out.splitlines()
    assert [line.strip().partition(" (")[0] for line in lines[1::2]] == [
        row["verdict"] for row in rows
    ]
    assert any(
        re.match(r"mnist, \w+, \d+ epochs: A lower maximum cosine", line)
        for line in lines[::2]
    )
    assert (
        "| A lower maximum cosine tends to give a higher accuracy | C | slope"
        in (here / "claims.md").read_text()
    )


def test_opposed(run):
    assert run("antipodal", "digits", "--dim", 8).out.splitlines()[2] == "4 - 5"
    pairs = run(
        "antipodal", "digits", "--dim", 8, "--mapping", "random", "--seed", 3, "--json"
    ).json
    assert len(pairs) == 5
    assert {pair["first"] for pair in pairs} != {0, 2, 4, 6, 8}


def test_the_cube_is_drawn_with_a_table_of_its_points(run, here):
    answer = run("cube", "-o", "deep/figures")
    assert answer.exit_code == 0, answer.err
    assert answer.out.split() == [
        f"deep/figures/cube.{ending}" for ending in ("png", "pdf", "csv")
    ]
    starts = {"png": b"\x89PNG", "pdf": b"%PDF"}
    for ending, start in starts.items():
        assert (here / f"deep/figures/cube.{ending}").read_bytes().startswith(start)
    with (here / "deep/figures/cube.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    exact = {row["panel"]: row["exact"] for row in rows}
    assert exact == {
        "one-hot": "0",
        "repetition code": "-1",
        "even-weight code": "-1/3",
    }
    assert [row["num_classes"] for row in rows] == ["3"] * 3 + ["2"] * 2 + ["4"] * 4
    again = run("cube", "-o", "again", "--json").json
    assert [(here / file).read_bytes() for file in again["files"]] == [
        (here / file).read_bytes() for file in answer.out.split()
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("clams results", "there is no command 'clams'; did you mean 'claims'?"),
        ("claims", "'claims' needs RESULTS; see: python -m reproduction claims --help"),
        ("claims none", "there is no such file or folder"),
        ("claims sweep.toml", "results are a folder or a .csv table, got 'sweep.toml'"),
        ("claims . -o claims.txt", "must end in .md"),
        ("reproduce imagenet", "mnist"),
        ("reproduce mnist --budget features", "budget"),
        ("antipodal digits --scheme bch --dim 8", "nearest: 7, 15"),
        ("cube -o sweep.toml", "cannot make the folder 'sweep.toml'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, here, arguments, sentence):
    (here / "sweep.toml").write_text("")
    answer = run(*arguments.split())
    assert (answer.exit_code, answer.out) == (2, "")
    assert sentence in answer.err
    assert answer.err.startswith("reproduction: ")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["reproduce", "mnist"], ["cube"]])
def test_a_missing_package_is_named_before_the_work_begins(
    run, here, monkeypatch, arguments
):
    for module in [
        name for name in sys.modules if name.partition(".")[0] == "matplotlib"
    ]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert "this needs matplotlib: pip install 'protosphere[plots]'" in answer.err
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_two_examples_that_fits_80_columns(
    run, name, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    answer = run(name, "--help")
    assert answer.exit_code == 0
    assert (
        answer.out.count(f"\n  python -m reproduction {name}")
        == len(set(COMMANDS[name].examples))
        == 2
    )
    assert max(map(len, answer.out.splitlines())) <= 80
    module, _, function = COMMANDS[name].home(name).partition(":")
    assert callable(getattr(import_module(f"reproduction.commands.{module}"), function))


def test_it_runs_as_a_module_from_a_clone(request):
    command = [sys.executable, "-m", "reproduction", "--help"]
    done = subprocess.run(
        command,
        cwd=request.config.rootpath,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in COMMANDS)
