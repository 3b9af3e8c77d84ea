"""What is shown of progress: lines where there is no terminal, one bar a stage where there is one."""

from __future__ import annotations

from threading import Event

import pytest
from rich.console import Console

import protosphere as ps
from protosphere import progress as module


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(module, "LINE_SECONDS", 1e-9)


def test_a_pipe_gets_lines(hasty, capsys):
    with ps.progress_bar("best") as progress:
        progress("optimizing: best 0.5, 3 starts", 20, 100)
        progress("optimizing: best 0.4, 9 starts", 40, 100)
    written = capsys.readouterr().err
    assert "best optimizing: best 0.5, 3 starts 20%\n" in written
    assert "best optimizing: best 0.4, 9 starts 40%\n" in written


def test_who_has_not_been_told_anything_for_a_while_sees_a_sign_of_life(
    monkeypatch, capsys
):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.01)
    shown = Event()
    original = module._StageLines.show
    monkeypatch.setattr(
        module._StageLines,
        "show",
        lambda self, *words: (original(self, *words), shown.set()),
    )
    with ps.progress_bar("best"):
        assert shown.wait(60)
    assert capsys.readouterr().err == "best starting\n"


def test_the_bar_of_the_beginning_makes_room_for_the_first_stage(hasty, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    bars = module._StageBars("best", Console(stderr=True))
    bars.show(module.STARTING, 0, 0)
    assert bars.bar.tasks[0].total is None
    bars.show("measuring", 1, 2)
    bars.stop()
    assert [(task.description, task.completed) for task in bars.bar.tasks] == [
        ("best measuring", 1)
    ]


def test_what_is_quick_writes_nothing(capsys):
    with ps.progress_bar("best") as progress:
        progress("optimizing", 1, 2)
    assert capsys.readouterr().err == ""


def test_lines_keep_their_distance(monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(module, "LINE_SECONDS", 1e9)
    with ps.progress_bar() as progress:
        for done in range(100):
            progress("optimizing", done, 100)
    assert capsys.readouterr().err.count("\n") <= 1


def test_a_stage_that_says_more_each_time_is_one_bar(hasty, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    bars = []
    original = module._StageBars.show
    monkeypatch.setattr(
        module._StageBars,
        "show",
        lambda self, *words: (bars.append(self), original(self, *words)),
    )
    with ps.progress_bar("best") as progress:
        for done in range(5):
            progress(f"optimizing: {done} starts", done, 5)
    assert bars
    assert list(bars[0].tasks) == ["optimizing"]
