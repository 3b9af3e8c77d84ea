from __future__ import annotations

import protosphere as ps


def test_every_scheme_is_listed_with_its_options(run):
    answer = run("list")
    assert answer.exit_code == 0
    for name in ps.available():
        assert name in answer.out
        assert all(f"--{option}" in answer.out for option in ps.describe(name).options)


def test_json_says_what_describe_says(run):
    records = run("list", "--json").json
    assert [record["name"] for record in records] == list(ps.available())
    assert (
        next(r for r in records if r["name"] == "bch")["options"]
        == ps.describe("bch").options
    )


def test_detail_shows_reference_and_defaults(run):
    out = " ".join(run("list", "log_sum_exp").out.split())
    assert "Lindstrom et al. (2024)" in out
    assert "--steps (default 1000)" in out
    assert "--lr (default 0.2)" in out
    assert run("list", "log_sum_exp", "--json").json["stochastic"] is True


def test_storage_of_points_is_shown_for_schemes_that_have_their_own(run):
    assert "one bit per entry" in " ".join(run("list", "bch").out.split())
    assert "one bit per entry" not in " ".join(run("list", "best").out.split())


def test_scheme_without_options_says_none(run):
    assert "none" in run("list", "simplex").out


def test_misspelled_scheme_is_one_sentence(run):
    answer = run("list", "reedmuller")
    assert (answer.exit_code, answer.out) == (2, "")
    assert "did you mean 'reed_muller'?" in answer.err
