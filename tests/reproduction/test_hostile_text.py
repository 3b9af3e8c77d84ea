"""Texts of files that somebody else wrote reach the terminal escaped in the reproduction's commands too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.hostile_text import HOSTILE, hostile_records, images, is_safe, on_terminal

from protosphere.experiments.store import Store, write_table


@pytest.fixture(params=["pipe", "terminal"])
def shown(request, run, monkeypatch):
    """What a command writes to both streams, without colors and bars."""
    return on_terminal(run, monkeypatch, colors=request.param == "terminal")


def test_class_names_of_a_dataset(shown, tmp_path):
    path = images(tmp_path / "d.npz", [f"{HOSTILE}{i}" for i in range(8)])
    np.save(tmp_path / "m.npy", np.eye(8))
    for words in ((), ("--matrix", tmp_path / "m.npy")):
        exit_code, text = shown(
            "antipodal", path, "--scheme", "cross_polytope", "--dim", 4, *words
        )
        assert exit_code == 0, text
        assert "owned" in text
        assert is_safe(text)


def test_networks_of_stored_records(shown, tmp_path):
    place = Store(tmp_path / "store")
    for record in hostile_records():
        changed = record.config.changed(dataset="mnist")
        place.add(replace(record, config=changed))
    write_table(place.records(), tmp_path / "table.csv")
    for source in (place.folder, tmp_path / "table.csv"):
        exit_code, text = shown("claims", source)
        assert exit_code == 0, text
        assert "owned" in text, "the network is named"
        assert is_safe(text)
