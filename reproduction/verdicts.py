"""Write verdicts on the claims of Lindström et al. (2024) as text.

The text also says if a claim fails, but only at a smaller scale than in the paper.
"""

from collections.abc import Sequence
from math import inf

from reproduction.findings import DOES_NOT, MOST_SEEDS, Finding
from reproduction.results import Results

NOT_AT_OUR_SCALE = "not at our scale"


def verdict_text(finding: Finding, tested: Sequence[Results]) -> str:
    """Return the verdict of a finding as text. If it is not decided, the text says how many runs would decide it.

    A claim that fails with another network, fewer epochs or less data than in the paper may still hold at the scale of
    the paper. The text then names the network, the epochs and the data.

    Args:
        finding: The result of the test of a claim.
        tested: Results of each network on which the claim was tested; empty if the claim needs no training.
    """
    if finding.verdict == DOES_NOT and not all(
        results.at_paper_scale for results in tested
    ):
        networks = "; ".join(results.network for results in tested)
        return f"{NOT_AT_OUR_SCALE}: {networks}"
    if finding.cells_needed is not None:
        return f"{finding.verdict}; {finding.cells_needed} configurations of each would decide"
    if finding.seeds_needed is None:
        return finding.verdict
    if finding.seeds_needed == inf:
        count = f"more than {MOST_SEEDS}"
    else:
        count = finding.seeds_needed
    return f"{finding.verdict}; {count} seeds would decide"
