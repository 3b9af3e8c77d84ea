from __future__ import annotations

import protosphere as ps


def named(answer, name):
    return next(row for row in answer.json["bounds"] if row["name"] == name)


def test_every_bound_with_its_theorem(run):
    answer = run("bounds", "-K", 100, "-n", 64, "--json")
    assert answer.exit_code == 0
    assert named(answer, "achievable")["value_exact"] == "1/4"
    assert named(answer, "converse")["theorem"] == ps.bounds.converse(100, 64).theorem
    assert named(answer, "paper_converse")["value_exact"] == "-1/99"
    assert answer.json["gilbert_varshamov_distance"] == 24
    theorems = {name for name, bound in ps.bounds.BOUNDS.items() if not bound.numerical}
    assert {row["name"] for row in answer.json["bounds"]} == {
        "achievable",
        "converse",
        *theorems,
    }
    for row in answer.json["bounds"]:
        assert (row["value"] is None) != (row["infeasible_reason"] is None)


def test_card_says_what_they_mean(run):
    out = run("bounds", "-K", 100, "-n", 64).out
    for fact in (
        "0.250000 (exactly 1/4)",
        "gilbert_varshamov",
        "no code is lower",
        "24, of some",
    ):
        assert fact in out


def test_nothing_achievable_is_said_in_its_row(run):
    answer = run("bounds", "-K", 1000, "-n", 4)
    assert answer.exit_code == 0
    assert "1000 distinct binary prototypes need" in " ".join(answer.out.split())
    json = run("bounds", "-K", 1000, "-n", 4, "--json")
    assert named(json, "achievable")["value"] is None
    assert "at least 10" in named(json, "achievable")["infeasible_reason"]
    assert json.json["gilbert_varshamov_distance"] is None


def test_impossible_numbers_are_one_sentence(run):
    answer = run("bounds", "-K", 1, "-n", 4)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "'-K' must be an integer of at least 2, got 1" in answer.err
