"""Some tries of `tests.fuzz.certificates`."""

from __future__ import annotations

from tests.fuzz.certificates import fuzz


def test_certificates_of_points_are_true():
    results = fuzz(60, seed=1)
    assert results["measured"] > 10
    assert results["exact"] > 5
