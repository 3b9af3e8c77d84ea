"""What finished runs say for or against a claim: means over seeds, their differences, and what noise allows to say."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from protosphere.regression import Regression, regression
from protosphere.training.records import RunRecord

HOLDS, DOES_NOT, UNDECIDED, NOT_RUN = "holds", "does not hold", "not decided at this budget", "not run"
STANDARD_ERRORS = 2.0
"""A difference of fewer than this many standard errors decides nothing."""


@dataclass(frozen=True)
class Finding:
    """Our figures, and what they say."""

    figures: str
    verdict: str


NOTHING_RUN = Finding("", NOT_RUN)


@dataclass(frozen=True)
class Evidence:
    """The finished runs of one dataset with one network and one number of epochs."""

    records: tuple[RunRecord, ...]

    def accuracies(self, scheme: str, dims: Iterable[int] = (), mapping: str | None = None) -> list[float]:
        """Test accuracies in per cent of the runs asked for; no dims are all dims, no mapping both."""
        wanted = set(dims)
        return [
            100 * record.test_accuracy
            for record in self.records
            if record.test_accuracy is not None
            and record.recipe.scheme == scheme
            and (not wanted or record.recipe.dim in wanted)
            and mapping in (None, record.recipe.mapping)
        ]

    def line(self) -> Regression | None:
        """Accuracy in per cent against the largest cosine over all runs."""
        points = [
            (r.max_cosine, 100 * r.test_accuracy) for r in self.records if r.max_cosine is not None and r.test_accuracy
        ]
        return regression([x for x, _ in points], [y for _, y in points])

    @property
    def seeds(self) -> int:
        """How many different ones."""
        return len({record.recipe.seed for record in self.records})

    @property
    def budget(self) -> str:
        """Network and epochs, in words."""
        if not self.records:
            return ""
        recipe = self.records[0].recipe
        return f"{recipe.backbone}, {recipe.epochs} epochs"


def evidence_on(dataset: str, records: Iterable[RunRecord]) -> Evidence:
    """The runs on a dataset of the longest training that there is."""
    done = [record for record in records if record.status == "done" and record.recipe.dataset == dataset]
    if not done:
        return Evidence(())
    longest = max(done, key=lambda record: (record.recipe.backbone.startswith("resnet"), record.recipe.epochs)).recipe
    same = [r for r in done if (r.recipe.backbone, r.recipe.epochs) == (longest.backbone, longest.epochs)]
    return Evidence(tuple(same))


def mean_of(values: Sequence[float]) -> str:
    """A mean with its standard error, for people."""
    if len(values) < 2:
        return f"{fmean(values):.2f}"
    return f"{fmean(values):.2f} ± {math.sqrt(variance(values) / len(values)):.2f}"


def higher(left: Sequence[float], right: Sequence[float], names: tuple[str, str]) -> Finding:
    """Whether the first is higher on average than the second, by more than the noise."""
    if not left or not right:
        return NOTHING_RUN
    figures = f"{names[0]} {mean_of(left)}, {names[1]} {mean_of(right)}"
    if len(left) < 2 or len(right) < 2:
        return Finding(figures, UNDECIDED)
    error = math.sqrt(variance(left) / len(left) + variance(right) / len(right))
    difference = fmean(left) - fmean(right)
    if abs(difference) <= STANDARD_ERRORS * error:
        return Finding(figures, UNDECIDED)
    return Finding(figures, HOLDS if difference > 0 else DOES_NOT)


def within(left: Sequence[float], right: Sequence[float], names: tuple[str, str], points: float) -> Finding:
    """Whether the two are no further apart than so many points."""
    if not left or not right:
        return NOTHING_RUN
    near = abs(fmean(left) - fmean(right)) <= points
    return Finding(f"{names[0]} {mean_of(left)}, {names[1]} {mean_of(right)}", HOLDS if near else DOES_NOT)


def all_of(findings: Sequence[Finding]) -> Finding:
    """Several comparisons that a claim makes at once: it holds where all do, and fails where one does."""
    run = [finding for finding in findings if finding.verdict != NOT_RUN]
    if not run:
        return NOTHING_RUN
    verdicts = {finding.verdict for finding in run}
    verdict = DOES_NOT if DOES_NOT in verdicts else HOLDS if verdicts == {HOLDS} else UNDECIDED
    return Finding("; ".join(finding.figures for finding in run), verdict)
