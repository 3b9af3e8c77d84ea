"""Verdicts as text: the result on a claim, and whether it applies to the paper's networks or only to ours."""

from collections.abc import Sequence
from math import inf

from reproduction.findings import DOES_NOT, MOST_SEEDS, Finding
from reproduction.results import Results


def verdict_text(finding: Finding, tested: Sequence[Results]) -> str:
    """Return the verdict of a finding; for an undecided one, also what would decide it.

    A claim that fails with another network, fewer epochs or less data than the paper's may hold at the paper's scale:
    the verdict then names network, epochs and data.

    Args:
        finding: The result of the test of a claim.
        tested: The results that were tested, one for each network; none for a claim that needs no training.
    """
    if finding.verdict == DOES_NOT and not all(
        results.at_paper_scale for results in tested
    ):
        networks = "; ".join(results.network for results in tested)
        return f"not at our scale: {networks}"
    if finding.cells_needed is not None:
        return f"{finding.verdict}; {finding.cells_needed} configurations of each would decide"
    if finding.seeds_needed is None:
        return finding.verdict
    if finding.seeds_needed == inf:
        count = f"more than {MOST_SEEDS}"
    else:
        count = finding.seeds_needed
    return f"{finding.verdict}; {count} seeds would decide"
