"""What the command line says: in the user's words, with what to do next."""

from __future__ import annotations

import sys
from dataclasses import fields

import pytest

from protosphere.cli.config_options import ConfigFlags
from protosphere.constructions import available
from protosphere.experiments import load_config
from protosphere.experiments.config_files import config_names

QUICK = ("--epochs", 1, "--train-images", 100)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "given", "meant"),
    [
        ("best -k 10 -n 5", "-k", "-K"),
        ("best -n 5 -k=10", "-k", "-K"),
        ("best -K 10 -N 5", "-N", "-n"),
        ("bounds --clases 10 -n 5", "--clases", "--classes"),
        ("construct simplex -K 10 --dims 9", "--dims", "--dim"),
    ],
)
def test_a_misspelled_option_is_answered_with_the_right_one(
    run, arguments, given, meant
):
    answer = run(*arguments.split())
    assert (answer.exit_code, answer.err.count("\n")) == (2, 1)
    assert f"no option {given}; did you mean" in answer.err
    assert meant in answer.err.rpartition("did you mean")[2]


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ("assign x.npy -o", "-o (--output)"),
        ("assign x.npy --output", "-o (--output)"),
        ("best -n 5 -K", "-K"),
        ("report --html", "--html"),
    ],
)
def test_an_option_without_a_value_is_not_called_missing(run, arguments, option):
    answer = run(*arguments.split())
    assert (answer.exit_code, answer.err.count("\n")) == (2, 1)
    assert f"the option {option}" in answer.err
    assert "needs a value" in answer.err


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ("best -K 10 -n 0", "-n"),
        ("best -K 10 -n=-3", "-n"),
        ("bounds -K 10 -n0", "-n"),
        ("construct simplex -K 0 -n 5", "-K"),
        ("bounds --classes 1 -n 5", "--classes"),
        ("train digits -n 0", "-n"),
    ],
)
def test_a_number_out_of_range_is_named_by_the_option_it_was_given_by(
    run, arguments, option
):
    answer = run(*arguments.split())
    assert answer.exit_code == 2
    assert f"'{option}' must be" in answer.err


@pytest.mark.parametrize(
    ("scheme", "meant"),
    [
        ("BCH", "bch"),
        ("Reed-Muller", "reed_muller"),
        ("Cross polytope", "cross_polytope"),
    ],
)
def test_another_spelling_of_a_scheme_is_recognized(run, scheme, meant):
    assert f"did you mean '{meant}'?" in run("list", scheme).err


@pytest.mark.parametrize(
    ("scheme", "near"),
    [
        ("lattice", {"lattice_shell"}),
        ("gold_codes_of_odd_length", {"gold"}),
        ("hadamrd", set()),
        ("zzz", set()),
        ("x" * 5000, set()),
    ],
)
def test_an_unknown_scheme_is_answered_with_near_names_only(run, scheme, near):
    answer = run("construct", scheme, "-K", 10, "-n", 5)
    assert answer.exit_code == 2
    _, hint = answer.err.split("; ", 1)
    assert {name for name in available() if name in hint} == near
    assert "did you mean" in answer.err or "protosphere list" in answer.err


def test_a_table_in_a_pipe_does_not_speak_of_bold(run, monkeypatch):
    arguments = (
        "compare",
        "-K",
        10,
        "--dims",
        9,
        "--schemes",
        "simplex,bch",
        "--no-figure",
    )
    assert "bold" not in run(*arguments).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "bold" in run(*arguments).out


def test_without_matplotlib_compare_says_how_to_go_without_a_figure(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ("compare", "-K", 10, "--dims", 9, "--schemes", "simplex")
    refused = run(*arguments)
    assert (refused.exit_code, refused.out) == (2, "")
    assert "--no-figure" in refused.err
    assert "--no-figure" not in run(*arguments, "--figure", "x.png").err
    assert run(*arguments, "--no-figure").exit_code == 0


def test_help_of_train_shows_every_default():
    quick = [load_config(name) for name in config_names() if name.startswith("quick-")]
    base = load_config("quick-digits")
    for option in fields(ConfigFlags):
        if option.name in (
            "dim",
            "modify",
            "scheme_options",
            "loss_options",
            "objective_options",
        ):
            continue
        told = option.metadata["help"].rpartition("[default: ")[2]
        value = getattr(base, option.name)
        if not isinstance(value, bool) and value != -1:
            assert told.startswith(str(value)), option.name
        differs = len({getattr(config, option.name) for config in quick}) > 1
        assert ("by the dataset" in told) == differs, option.name


def test_accuracies_are_all_in_percent(run):
    record = run("train", "digits", *QUICK, "--json").json
    shown = run("train", "digits", *QUICK).out
    lines = dict(
        line.strip().split("  ", 1) for line in shown.splitlines() if "accuracy" in line
    )
    assert len(lines) >= 3
    for name, text in lines.items():
        key = name.replace("top-5", "top5").replace(" ", "_")
        value = record[key] if key in record else record["metrics"][key]
        assert text.strip() == f"{100 * value:.2f} %"


def test_an_interrupted_run_says_that_the_same_command_goes_on(run, monkeypatch):
    arguments = ("train", "digits", "--epochs", 3, "--train-images", 100)

    def interrupted(metrics, plan):
        if metrics.epoch == 2:
            raise KeyboardInterrupt
        return ""

    with monkeypatch.context() as patch:
        patch.setattr("protosphere.cli.train.epoch_line", interrupted)
        answer = run(*arguments)
    assert answer.exit_code == 130
    assert "2 of 3 epochs are done; the same command goes on" in answer.err
    again = run(*arguments)
    assert again.exit_code == 0
    assert "epoch 3/3" in again.err
    assert "epoch 2/3" not in again.err
