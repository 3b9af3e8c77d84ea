"""Texts that a terminal would obey, files that hold them, and what a command shows of them."""

from __future__ import annotations

import re

import numpy as np

from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord

ERASE = "\x1b[2J"
TITLE = "\x1b]0;owned\x07"
REVERSED = "\u202e"
ISOLATED = "\u2066"
EIGHT_BIT = "\x9b2J"
HOSTILE = f"a{ERASE}{TITLE}{REVERSED}{ISOLATED}{EIGHT_BIT}\rb\x08\x7f"
COLOR = re.compile(r"\x1b\[[0-9;]*m")
MOVEMENT = re.compile(r"\r?\x1b\[(\?25[lh]|[0-9]*[AK])")
"""What a progress bar writes on a terminal."""


def on_terminal(run, monkeypatch, *, colors):
    """Return a function that runs a command and returns exit code and text, without colors and bars."""
    if colors:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")

    def call(*arguments):
        answer = run(*arguments)
        return answer.exit_code, MOVEMENT.sub(
            "", COLOR.sub("", answer.out + answer.err)
        )

    return call


def is_safe(text):
    """Whether a terminal would obey nothing in it."""
    return all(line.isprintable() for line in text.split("\n"))


def images(path, names):
    """Write a small dataset whose classes have these names."""
    rng = np.random.default_rng(0)
    labels = np.tile(np.arange(len(names)), 20)
    inputs = rng.standard_normal((len(labels), 6)).astype("float32")
    arrays = {"x_train": inputs, "y_train": labels, "x_test": inputs, "y_test": labels}
    np.savez(path, **arrays, class_names=np.array(names))
    return path


def hostile_records(number=4):
    """Finished runs, every other one with a hostile name of its network."""
    plan = load_config("quick-digits").changed(
        scheme="simplex", dim=9, preset="lindstrom"
    )
    for seed in range(number):
        config = plan.changed(
            seed=seed // 2, backbone=HOSTILE if seed % 2 else "simard"
        )
        yield RunRecord(
            config,
            "done",
            test_accuracy=0.5,
            max_cosine=-1 / 9,
            seconds=1.0,
            data="0" * 64,
        )
