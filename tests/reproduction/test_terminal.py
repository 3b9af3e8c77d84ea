"""Texts of files that somebody else wrote reach the terminal escaped in the commands of the reproduction too."""

from __future__ import annotations

import numpy as np
import pytest
from tests.hostile_text import HOSTILE, images, is_safe, without_colors

from protosphere.training import load_recipe
from protosphere.training.records import RunRecord
from protosphere.training.store import Store


@pytest.fixture(params=["pipe", "terminal"], autouse=True)
def _stream(request, monkeypatch):
    if request.param == "terminal":
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")


def test_class_names_of_a_dataset(run, tmp_path):
    path = images(tmp_path / "d.npz", [f"{HOSTILE}{i}" for i in range(8)])
    np.save(tmp_path / "m.npy", np.eye(8))
    for words in ((), ("--matrix", tmp_path / "m.npy")):
        answer = run("opposed", path, "--scheme", "cross_polytope", "--dim", 4, *words)
        assert answer.exit_code == 0, answer.err
        assert "owned" in answer.out
        assert is_safe(without_colors(answer.out + answer.err))


def test_settings_of_stored_records(run, tmp_path):
    plan = load_recipe("quick-digits").changed(scheme="simplex", dim=9, backbone=HOSTILE)
    store = Store(tmp_path / "store")
    store.add(RunRecord(plan, "done", test_accuracy=0.5, max_cosine=-1 / 9, seconds=1.0, data="0" * 64))
    answer = run("claims", store.folder)
    assert is_safe(without_colors(answer.out + answer.err))
