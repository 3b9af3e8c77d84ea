from __future__ import annotations

import csv

import pytest

import protosphere as ps
from protosphere.cli.comparison_table import fitted, max_cosine_columns
from protosphere.cli.dims import parsed_dims
from protosphere.constructions.comparison import compare

QUICK = ("--schemes", "simplex,cross_polytope,reed_muller,bch")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_dims_of_interest_in_a_range():
    assert parsed_dims("4:16", 10) == (4, 5, 7, 8, 9, 10, 15, 16)


def test_dims_by_steps_and_by_name():
    assert parsed_dims("10:20:5", 100) == (10, 15, 20)
    assert parsed_dims("10:24:5", 100) == (10, 15, 20)
    assert parsed_dims("64, 16,16", 100) == (16, 64)
    assert parsed_dims("7", 100) == (7,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "4:",
        "a:b",
        "1:2:3:4",
        "0:4",
        "4-8",
        "4,,8",
        "4:8:0",
        "-4:8",
        "1.5",
        "²",
    ],
)
def test_dims_not_understood_are_one_sentence(run, text):
    answer = run("compare", "-K", 10, f"--dims={text}")
    assert (answer.exit_code, answer.out) == (2, "")
    assert len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("16:4", "try 4:16"),
        ("17:20", "17:20:1"),
        ("1:100000:1", "100000 dimensions"),
        ("9:4:1", "0 dimensions"),
    ],
)
def test_dims_that_are_none_or_too_many(run, text, reason):
    answer = run("compare", "-K", 10, "--dims", text)
    assert answer.exit_code == 2
    assert reason in answer.err


def test_table_and_figure(run, tmp_path):
    answer = run("compare", "-K", 10, "--dims", "4:16", *QUICK)
    assert answer.exit_code == 0
    row = next(
        line.split() for line in answer.out.splitlines() if line.startswith(" 9 ")
    )
    assert row == ["9", "-0.1111", "0.3333", "-0.1111", "0.0000", "·", "·"]
    assert (tmp_path / "compare-k10.png").read_bytes().startswith(b"\x89PNG")
    assert "figure: compare-k10.png" in answer.out


def test_figure_where_told_or_nowhere(run, tmp_path):
    run("compare", "-K", 10, "--dims", 9, *QUICK, "--figure", "here.svg")
    run("compare", "-K", 10, "--dims", 9, *QUICK, "--no-figure")
    run("compare", "-K", 10, "--dims", 9, *QUICK, "--json")
    assert [path.name for path in tmp_path.iterdir()] == ["here.svg"]


def test_json_has_every_cell_and_bound(run):
    record = run("compare", "-K", 10, "--dims", "9,16", *QUICK, "--json").json
    assert record["dims"] == [9, 16]
    assert len(record["records"]) == 4 * 2 + 3 * 2
    simplex = next(r for r in record["records"] if r["scheme"] == "simplex")
    assert simplex["exact"] == "-1/9"


def test_csv_is_the_records(run, tmp_path):
    run(
        "compare", "-K", 10, "--dims", "9,16", *QUICK, "--csv", "out.csv", "--no-figure"
    )
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["scheme"] == "simplex"
    assert rows[0]["exact"] == "-1/9"


def test_modify_reaches_other_dimensions(run):
    words = ("compare", "-K", 10, "--dims", 12, "--schemes", "bch", "--json")
    assert run(*words).json["records"][0]["max_cosine"] is None
    assert run(*words, "--modify").json["records"][0]["max_cosine"] is not None


def test_unknown_scheme_and_bad_files(run):
    assert (
        "did you mean 'bch'"
        in run("compare", "-K", 10, "--dims", 9, "--schemes", "bhc", "--no-figure").err
    )
    assert (
        "must end in" in run("compare", "-K", 10, "--dims", 9, "--figure", "x.jpg").err
    )
    assert (
        "no such folder"
        in run("compare", "-K", 10, "--dims", 9, "--csv", "absent/x.csv").err
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    names = "one_hot,uniform,simplex,cross_polytope,reed_muller,bch,reed_solomon"
    out = run(
        "compare",
        "-K",
        100,
        "--dims",
        "63,64,128,2048",
        "--schemes",
        names,
        "--no-figure",
    ).out
    assert max(map(len, out.splitlines())) <= width
    assert "-0.0101" in out
    assert "…" not in out


def test_only_the_best_of_a_row_is_bold(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    out = run(
        "compare",
        "-K",
        10,
        "--dims",
        9,
        "--schemes",
        "simplex,cross_polytope",
        "--no-figure",
    ).out
    assert "\x1b[1;32m-0.1111" in out
    assert out.count("\x1b[1;32m") == 1


def test_energy_tells_codes_of_one_max_cosine_apart(run, tmp_path):
    words = (
        "compare",
        "-K",
        100,
        "--dims",
        "50,64",
        "--schemes",
        "cross_polytope,orthogonal_simplices,one_hot",
    )
    answer = run(*words, "--energy", "--figure", "energy.svg", "--csv", "energy.csv")
    rows = [
        line.split()
        for line in answer.out.splitlines()
        if line.startswith(("50 ", "64 "))
    ]
    assert rows == [["50", "1.000", "1.000", "·"], ["64", "1.000", "0.992", "·"]]
    with (tmp_path / "energy.csv").open(newline="") as file:
        found = {
            (row["scheme"], row["dim"]): row["energy"] for row in csv.DictReader(file)
        }
    for scheme, dim in (("cross_polytope", 50), ("orthogonal_simplices", 64)):
        code = ps.construct(scheme, num_classes=100, dim=dim)
        assert float(found[scheme, str(dim)]) == ps.code_statistics(code).energy, (
            "the converse is met: the head's own scale"
        )
    assert found["one_hot", "64"] == ""
    assert "energy" in (tmp_path / "energy.svg").read_text()
    assert "energy" not in run(*words, "--no-figure").out


def test_mean_squares_stand_beside_those_of_tight_frames(run, tmp_path):
    words = (
        "compare",
        "-K",
        100,
        "--dims",
        "50,64",
        "--schemes",
        "cross_polytope,orthogonal_simplices,one_hot",
    )
    answer = run(
        *words, "--mean-square", "--figure", "squares.svg", "--csv", "squares.csv"
    )
    rows = [
        line.split()
        for line in answer.out.splitlines()
        if line.startswith(("50 ", "64 "))
    ]
    assert rows == [
        ["50", "0.0101", "0.0101", "0.0101", "·"],
        ["64", "0.0057", "0.0101", "0.0059", "·"],
    ]
    with (tmp_path / "squares.csv").open(newline="") as file:
        found = {
            (row["scheme"], row["dim"]): row["mean_square"]
            for row in csv.DictReader(file)
        }
    assert float(found["cross_polytope", "50"]) == pytest.approx(1 / 99)
    assert found["one_hot", "64"] == ""
    assert "mean squared cosine" in (tmp_path / "squares.svg").read_text()
    assert run(*words, "--energy", "--mean-square").exit_code == 2


def test_a_row_in_which_nothing_can_be_had(run):
    answer = run(
        "compare", "-K", 10, "--dims", 4, "--schemes", "simplex", "--no-figure"
    )
    assert answer.exit_code == 0
    assert "·" in answer.out


def test_columns_are_shared_out_evenly():
    every = max_cosine_columns(
        compare(
            10, [9], schemes=["simplex", "bch", "uniform", "one_hot", "reed_muller"]
        )
    )
    assert [len(part) for part in fitted(every, 1000)] == [7]
    assert [len(part) for part in fitted(every, 45)] == [4, 3]
    assert [len(part) for part in fitted(every, 1)] == [1] * 7
