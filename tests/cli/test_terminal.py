"""Texts of files that somebody else wrote reach the terminal escaped, whichever command prints them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.table import Table
from rich.text import Text
from tests.hostile_text import (
    COLOR,
    HOSTILE,
    hostile_records,
    images,
    is_safe,
    on_terminal,
)

from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store, write_table
from protosphere.terminal import SafeConsole


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["pipe", "terminal"])
def shown(request, run, monkeypatch):
    """What a command writes to both streams, without colors and bars."""
    return on_terminal(run, monkeypatch, colors=request.param == "terminal")


@pytest.fixture
def store(here):
    place = Store(here / "store")
    for record in hostile_records():
        place.add(record)
    return place.folder


@pytest.mark.parametrize("command", ["report", "paired", "paired --markdown"])
def test_settings_of_stored_records(shown, store, here, command):
    write_table(Store(store).records(), here / "table.csv")
    name, *flags = command.split()
    if name == "paired":
        flags += ["--against", "simplex, simard"]
    for source in (store, here / "table.csv"):
        exit_code, text = shown(name, source, *flags)
        assert exit_code in (0, 2), text
        assert is_safe(text)


def test_the_network_of_a_record_is_shown_escaped(shown, store):
    exit_code, text = shown("report", store)
    assert exit_code == 0, text
    assert "\\x1b[2J" in text
    assert "\\u202e" in text


def test_reasons_of_failed_runs(shown, here):
    plan = load_config("quick-digits").changed(
        scheme="simplex", dim=9, epochs=1, train_images=50
    )
    place = Store(here / "store")
    place.add(RunRecord(plan, "failed", HOSTILE, data="0" * 64))
    (here / "s.toml").write_text(
        'dataset = "digits"\nepochs = 1\ntrain_images = 50\nschemes = ["simplex"]\ndims = [9]\n'
    )
    for words in (
        ("sweep", "s.toml", "--store", place.folder),
        ("report", place.folder),
    ):
        _, text = shown(*words)
        assert is_safe(text)


def test_names_of_files_and_what_is_in_them(shown, here):
    data = images(here / f"{HOSTILE}.npz", [f"{HOSTILE}{i}" for i in range(4)])
    _, text = shown(
        "train",
        data,
        "--backbone",
        "linear",
        "--scheme",
        "simplex",
        "--dim",
        3,
        "--epochs",
        1,
    )
    assert is_safe(text)
    np.save(here / f"{HOSTILE}.npy", np.eye(4))
    (here / "tree.txt").write_text(
        "".join(f"{HOSTILE}{i} {HOSTILE}p{i % 2}\n" for i in range(4)), encoding="utf-8"
    )
    for words in (
        ("certify", f"{HOSTILE}.npy"),
        ("assign", f"{HOSTILE}.npy", "--tree", "tree.txt"),
        ("report", HOSTILE),
    ):
        _, text = shown(*words)
        assert is_safe(text)
        assert "owned" in text


def test_a_console_escapes_every_kind_of_text_and_keeps_its_own_colors():
    written = io.StringIO()
    console = SafeConsole(
        file=written,
        force_terminal=True,
        width=200,
        color_system="standard",
        markup=False,
    )
    table = Table(title=HOSTILE)
    table.add_column(HOSTILE)
    table.add_row(Text(HOSTILE, style="bold"))
    table.add_row(HOSTILE)
    for thing in (HOSTILE, Text(HOSTILE), table):
        console.print(thing, style="red")
    assert COLOR.search(written.getvalue())
    assert is_safe(COLOR.sub("", written.getvalue()))
    assert written.getvalue().count("owned") == 6
