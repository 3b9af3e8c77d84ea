"""Compare the accuracies of two methods by the differences of runs with the same seed, and decide about claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from statistics import fmean, stdev

from protosphere.statistics.intervals import student
from reproduction.noise import Noise

HOLDS = "holds"
DOES_NOT = "does not hold"
UNDECIDED = "not decided"
NOT_RUN = "not run"

MOST_SEEDS = 1000
"""Number of seeds beyond which a difference counts as undecidable."""

TEST_IMAGES = 10_000
"""Number of test images of MNIST and of CIFAR-100."""


@dataclass(frozen=True)
class Sample:
    """Accuracies of some configurations of a scheme.

    Attributes:
        by_seed: Mean accuracy in percent over the configurations, by seed.
        scheme: Name of the scheme, such as 'simplex'.
        cells: Number of configurations (combinations of a scheme, a dimension and a mapping).
        noise: Squared residuals of all configurations of the scheme, from which the random spread is estimated.
    """

    by_seed: Mapping[int, float]
    scheme: str = ""
    cells: int = 1
    noise: Noise = field(default_factory=Noise)

    def __bool__(self) -> bool:
        return bool(self.by_seed)

    @property
    def mean(self) -> float:
        """Mean accuracy in percent over the seeds."""
        return fmean(self.by_seed.values())


@dataclass(frozen=True)
class Finding:
    """Result of the test of a claim.

    Attributes:
        figures: Text with the measured numbers.
        verdict: "holds", "does not hold", "not decided" or "not run".
        seeds_needed: Number of seeds that would decide the claim if mean and spread stay the same; infinite if it is
            above `MOST_SEEDS`. None if the claim is decided, or if this number was not computed.
        cells_needed: Number of configurations that would decide the claim. None if the claim is decided, or if this
            number was not computed.
    """

    figures: str
    verdict: str
    seeds_needed: float | None = None
    cells_needed: int | None = None


NOTHING_RUN = Finding("", NOT_RUN)

Decide = Callable[[float, float], tuple[str, float]]
"""Type of a function (mean difference, half of its interval) -> (verdict, half of an interval that would decide)."""


@dataclass(frozen=True)
class Difference:
    """The difference of two samples, computed from runs with the same seed.

    Attributes:
        mean: Mean difference in percentage points.
        margin: Half of the width of the 95% interval of the mean difference.
        deviation: Standard deviation of the difference for a single seed.
        seeds: Number of seeds.
    """

    mean: float
    margin: float
    deviation: float
    seeds: int


def difference(left: Sample, right: Sample) -> Difference | None:
    """Return the difference of two samples; None if they have fewer than two seeds in common.

    The standard deviation of the difference is computed from the seeds in common. If the noise of the two schemes has
    more degrees of freedom, the standard deviation is computed from the noise instead.

    Args:
        left: Sample from which the other is subtracted.
        right: Sample that is subtracted.
    """
    shared = left.by_seed.keys() & right.by_seed.keys()
    differences = [left.by_seed[seed] - right.by_seed[seed] for seed in shared]
    if len(differences) < 2:
        return None
    noise = left.noise if left.scheme == right.scheme else left.noise + right.noise
    freedom = float(len(differences) - 1)
    deviation = stdev(differences)
    if noise.free > freedom:
        freedom = noise.free
        variance = noise.squares / noise.free
        deviation = sqrt(variance * (1 / left.cells + 1 / right.cells))
    margin = student(freedom) * deviation / sqrt(len(differences))
    return Difference(fmean(differences), margin, deviation, len(differences))


def higher(left: Sample, right: Sample, names: tuple[str, str]) -> Finding:
    """Test whether one sample has higher accuracy than another, by runs with the same seed.

    The claim holds if the 95% interval of the difference is above 0. It does not hold if the lower end of the interval
    is at most 0 and the upper end is below the smallest noticeable difference (see `noticeable`). Otherwise, it is not
    decided.

    Args:
        left: Sample that is claimed to be higher.
        right: Sample with which it is compared.
        names: Names of the two samples, for the text.
    """
    threshold = noticeable(right.mean) if right else 0.0

    def decide(value: float, margin: float) -> tuple[str, float]:
        low = value - margin
        high = value + margin
        distance = max(value, threshold - value)
        if low <= 0 and high < threshold:
            return DOES_NOT, distance
        return verdict_on(low, high), distance

    return _compared(left, right, names, decide)


def noticeable(accuracy: float) -> float:
    """Return the smallest difference in accuracy that counts as noticeable, in percentage points.

    It is the standard error of an accuracy that is measured on the test images. `accuracy` is in percent.

    >>> round(noticeable(68.0), 2), round(noticeable(98.0), 2)
    (0.47, 0.14)
    """
    return sqrt(max(0.0, accuracy * (100 - accuracy)) / TEST_IMAGES)


def within(
    left: Sample, right: Sample, names: tuple[str, str], points: float
) -> Finding:
    """Test whether the accuracies of two samples differ by at most `points`, by the 95% interval of the difference.

    Args:
        left: The first sample.
        right: The second sample.
        names: Names of the two samples, for the text.
        points: Largest allowed difference in percentage points.
    """

    def decide(value: float, margin: float) -> tuple[str, float]:
        inside = points - abs(value)
        return verdict_on(inside - margin, inside + margin), inside

    return _compared(left, right, names, decide)


def _compared(
    left: Sample, right: Sample, names: tuple[str, str], decide: Decide
) -> Finding:
    """Return the finding about the difference of two samples. `decide` gives the verdict."""
    if not left or not right:
        return NOTHING_RUN
    figures = f"{names[0]} {left.mean:.2f}, {names[1]} {right.mean:.2f}"
    found = difference(left, right)
    if found is None:
        return Finding(figures, UNDECIDED, 2)
    verdict, distance = decide(found.mean, found.margin)
    needed = None
    if verdict == UNDECIDED:
        needed = seeds_to_decide(found.deviation, found.seeds, distance)
    figures += f" ({found.mean:+.2f} ± {found.margin:.2f})"
    return Finding(figures, verdict, needed)


def verdict_on(low: float, high: float) -> str:
    """Return "holds" if an interval is above 0, "does not hold" if it is below 0, and otherwise "not decided".

    Args:
        low: Lower end of the interval.
        high: Upper end of the interval.
    """
    if low > 0:
        return HOLDS
    return DOES_NOT if high < 0 else UNDECIDED


def seeds_to_decide(deviation: float, seeds: int, distance: float) -> float:
    """Return the number of seeds with which the 95% interval of a difference is short enough to decide a claim.

    The spread is assumed to stay the same. The result is infinite if the number is above `MOST_SEEDS`.

    Args:
        deviation: Standard deviation of the difference for a single seed.
        seeds: Number of seeds so far.
        distance: A claim is decided if half of the width of the interval is below |`distance`|.

    >>> seeds_to_decide(0.866, 4, 0.25)
    49
    """
    for count in range(seeds + 1, MOST_SEEDS + 1):
        margin = student(count - 1) * deviation / sqrt(count)
        if margin < abs(distance):
            return count
    return inf


def all_of(findings: Sequence[Finding]) -> Finding:
    """Combine the findings about the comparisons of one claim.

    The claim holds if all comparisons hold, and does not hold if one of them does not. Comparisons that were not run
    are ignored.
    """
    run = [finding for finding in findings if finding.verdict != NOT_RUN]
    if not run:
        return NOTHING_RUN
    figures = "; ".join(finding.figures for finding in run)
    verdicts = {finding.verdict for finding in run}
    if DOES_NOT in verdicts:
        return Finding(figures, DOES_NOT)
    if verdicts == {HOLDS}:
        return Finding(figures, HOLDS)
    needed = max(finding.seeds_needed or 0 for finding in run)
    return Finding(figures, UNDECIDED, needed)
