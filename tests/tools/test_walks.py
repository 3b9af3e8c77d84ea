"""Walks through the package, measured in a process of their own."""

from __future__ import annotations

import json

import pytest
from tools.__main__ import main
from tools.walks import Walk, walk_from, walk_here


def test_hops_are_the_sum_of_the_calls_between_files():
    walk = Walk(
        "w", "w()", ("a.py", "b.py"), {("a.py", "b.py"): 2, ("b.py", "a.py"): 3}
    )
    assert walk.hops == 5
    assert walk_from(json.loads(json.dumps(walk.record()))) == walk


def test_files_of_schemes_are_counted_apart_from_the_room_of_best():
    files = (
        "errors.py",
        "constructions/build.py",
        "constructions/best/choose.py",
        "constructions/lattices/e8_shell.py",
    )
    walk = Walk("w", "w()", files, {})
    assert walk.scheme_files == ("constructions/lattices/e8_shell.py",)


def test_files_that_only_schemes_call_count_as_schemes():
    root = "constructions/construct.py"
    scheme = "constructions/lattices/e8_shell.py"
    calls = {
        (root, scheme): 1,
        (root, "errors.py"): 1,
        (scheme, "errors.py"): 1,
        (scheme, "coding/reed_muller.py"): 1,
    }
    files = (root, scheme, "errors.py", "coding/reed_muller.py")
    walk = Walk("w", "w()", files, calls)
    assert walk.scheme_files == (scheme, "coding/reed_muller.py")


def test_walk_lists_visited_files_and_calls_between_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    walk = walk_here("certify")
    assert "spherical/certificate.py" in walk.files
    called = {callee for _, callee in walk.calls}
    assert "spherical/certificate.py" in called
    assert called <= set(walk.files)
    assert all(caller != callee for caller, callee in walk.calls)


def test_command_walks_in_a_fresh_process_and_prints_json(capsys):
    assert main(["walk", "certify", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["hops"] == sum(edge["calls"] for edge in record["edges"])


@pytest.mark.parametrize("name", ["nowhere", ""])
def test_command_refuses_an_unknown_walk(name, capsys):
    assert main(["walk", name]) == 2
    assert capsys.readouterr().out == ""
