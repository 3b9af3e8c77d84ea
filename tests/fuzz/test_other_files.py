"""Some changed files of every other format; continuous integration tries ten thousand each (`make fuzz`)."""

from __future__ import annotations

from tests.fuzz.other_files import fuzz


def test_no_changed_file_brings_more_than_a_sentence():
    results = fuzz(40, seed=3)
    assert sum(found["read"] for found in results.values()) > 20, (
        "changes that leave nothing to read try little"
    )
