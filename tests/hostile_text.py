"""Texts that a terminal would obey, and what is left of them where they are shown."""

from __future__ import annotations

import re

import numpy as np

ERASE, TITLE, REVERSED, ISOLATED, EIGHT_BIT = "\x1b[2J", "\x1b]0;owned\x07", "\u202e", "\u2066", "\x9b2J"
HOSTILE = f"a{ERASE}{TITLE}{REVERSED}{ISOLATED}{EIGHT_BIT}\rb\x08\x7f"
COLOR = re.compile(r"\x1b\[[0-9;]*m")
MOVEMENT = re.compile(r"\r?\x1b\[(\?25[lh]|[0-9]*[AK])")
"""What a progress bar writes on a terminal."""


def without_colors(text):
    """What was shown, without the colors and movements that are our own."""
    return MOVEMENT.sub("", COLOR.sub("", text))


def is_safe(text):
    return all(line.isprintable() for line in text.split("\n"))


def images(path, names):
    rng = np.random.default_rng(0)
    labels = np.tile(np.arange(len(names)), 20)
    inputs = rng.standard_normal((len(labels), 6)).astype("float32")
    arrays = {"x_train": inputs, "y_train": labels, "x_test": inputs, "y_test": labels}
    np.savez(path, **arrays, class_names=np.array(names))
    return path
