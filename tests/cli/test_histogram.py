from __future__ import annotations

import pytest


def test_exact_cosines_of_a_sign_code(run):
    record = run("histogram", "reed_muller", "-K", 16, "-n", 8, "--json").json
    assert record["exact"] is True
    assert [(entry["exact"], entry["pairs"]) for entry in record["bins"]] == [
        ("-1", 8),
        ("0", 112),
    ]
    assert record["pairs"] == 120


def test_bars_with_counts_and_shares(run):
    out = run("histogram", "bch", "-K", 100, "-n", 31).out
    line = next(
        line
        for line in out.splitlines()
        if "9/31 = 0.2903" in line and "-9/31" not in line
    )
    assert "1168" in line
    assert "23.6%" in line
    assert "█" in line
    assert "max cosine 0.290323 (exactly 9/31)" in out


def test_bins_where_cosines_are_not_exact(run):
    record = run(
        "histogram", "uniform", "-K", 30, "-n", 3, "--bins", 10, "--seed", 1, "--json"
    ).json
    assert record["exact"] is False
    assert len(record["bins"]) <= 10
    assert sum(entry["pairs"] for entry in record["bins"]) == 435


def test_many_exact_cosines_are_gathered_for_the_screen(run):
    out = run("histogram", "bch", "-K", 100, "-n", 31, "--bins", 4).out
    assert "6 exact values in 4 bins" in out
    assert "-0.5000 to 0.0000" in out


def test_figure_on_request(run, tmp_path):
    answer = run(
        "histogram", "simplex", "-K", 5, "-n", 4, "-o", tmp_path / "h.png", "--json"
    )
    assert answer.json["figure"] == str(tmp_path / "h.png")
    assert (tmp_path / "h.png").read_bytes().startswith(b"\x89PNG")


def test_options_reach_the_scheme(run):
    assert run("histogram", "bch", "-K", 10, "-n", 12, "--modify").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--bins", 0], "--bins must be from 1 to 1000"),
        (["--bins", 10**6], "--bins must be from 1 to 1000"),
        (["-o", "x.jpg"], "must end in"),
        (["--q", 4], "has no option 'q'"),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, reason):
    answer = run("histogram", "simplex", "-K", 5, "-n", 4, *arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert reason in answer.err
