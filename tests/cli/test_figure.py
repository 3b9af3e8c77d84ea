from __future__ import annotations

import pytest

from protosphere.cli import figure as command
from protosphere.plots.figures import FIGURES


def test_list_names_every_figure(run):
    out = run("figure", "list").out
    assert all(name in out for name in FIGURES)
    assert [entry["name"] for entry in run("figure", "list", "--json").json] == list(
        FIGURES
    )


def test_one_figure_into_a_new_folder(run, tmp_path):
    folder = tmp_path / "deep" / "figures"
    answer = run("figure", "histogram-k10", "-o", folder)
    assert answer.exit_code == 0
    assert answer.out.split() == [
        str(folder / f"histogram-k10.{ending}") for ending in ("png", "pdf", "csv")
    ]
    assert {path.name for path in folder.iterdir()} == {
        f"histogram-k10.{ending}" for ending in ("png", "pdf", "csv")
    }


def test_all_draws_each_with_the_seed(run, tmp_path, monkeypatch):
    seen = []

    def draw(name, folder, *, seed, progress):
        del progress
        seen.append((name, seed))
        return (folder / name,)

    monkeypatch.setattr(command, "draw", draw)
    record = run("figure", "all", "-o", tmp_path, "--seed", 7, "--json").json
    assert seen == [(name, 7) for name in FIGURES]
    assert [entry["name"] for entry in record] == list(FIGURES)


def test_misspelled_figure_makes_no_folder(run, tmp_path):
    answer = run("figure", "histogram-k1", "-o", tmp_path / "new")
    assert answer.exit_code == 2
    assert "did you mean 'histogram-k10'?" in answer.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_folder_that_cannot_be_is_one_sentence(run, tmp_path, name):
    (tmp_path / "file").write_text("")
    answer = run("figure", "histogram-k10", "-o", tmp_path / name)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "cannot make the folder" in answer.err
