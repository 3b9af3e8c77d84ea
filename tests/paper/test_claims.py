"""The ledger: what the committed results say, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from protosphere.cli.finished_runs import stored_records
from protosphere.paper.claims import CLAIMS, judged
from protosphere.paper.evidence import DOES_NOT, HOLDS, NOT_RUN, UNDECIDED, all_of, higher, within
from protosphere.paper.ledger import page
from protosphere.regression import regression

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_committed_results_say():
    ledger = judged(stored_records(ROOT / "results"))
    assert (ROOT / "docs" / "claims.md").read_text(encoding="utf-8") == page(ledger)
    assert len(ledger) == len(CLAIMS) + 1
    assert all(each.finding.figures for each in ledger if each.finding.verdict != NOT_RUN)


def test_differences_within_the_noise_decide_nothing():
    names = ("a", "b")
    assert higher([98.0, 98.1, 98.2], [97.0, 97.1, 97.2], names).verdict == HOLDS
    assert higher([97.0, 97.1, 97.2], [98.0, 98.1, 98.2], names).verdict == DOES_NOT
    assert higher([97.0, 98.0], [97.2, 97.9], names).verdict == UNDECIDED
    assert higher([99.0], [1.0, 1.1], names).verdict == UNDECIDED, "one seed is no evidence"
    assert higher([], [1.0], names).verdict == NOT_RUN
    assert within([98.0], [97.5], names, 1.0).verdict == HOLDS
    both = [higher([98.0, 98.1], [97.0, 97.1], names), higher([97.0, 98.0], [97.2, 97.9], names)]
    assert all_of(both).verdict == UNDECIDED


def test_regression_against_a_known_line():
    line = regression([0, 1, 2, 3], [1, 3, 5, 7.5])
    assert line is not None
    assert line.slope == pytest.approx(2.15)
    assert line.low < 2 < line.high
    assert regression([1, 1, 1], [1, 2, 3]) is None
