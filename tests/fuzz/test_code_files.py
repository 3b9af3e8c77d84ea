"""Some hundred changed files; continuous integration tries ten thousand (`make fuzz`)."""

from __future__ import annotations

from tests.fuzz.code_files import fuzz


def test_no_changed_file_is_certified_for_what_it_is_not():
    results = fuzz(400, seed=7)
    assert results["certified"] > 20, "changes that leave nothing to certify try little"
