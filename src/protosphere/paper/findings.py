"""What samples of finished runs say of a comparison: differences by seed, their 95 % intervals, and verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, stdev

from protosphere.intervals import Mean, mean_with_interval
from protosphere.paper.noise import Noise

HOLDS, DOES_NOT, UNDECIDED, NOT_RUN = "holds", "does not hold", "not decided", "not run"

MOST_SEEDS = 1000
"""A difference that would need more than these is as good as none."""

TEST_IMAGES = 10_000
"""Of MNIST and of CIFAR-100 alike."""


@dataclass(frozen=True)
class Sample:
    """Accuracies in per cent by seed, each the mean over some cells of a scheme, and that scheme's noise."""

    by_seed: Mapping[int, float]
    scheme: str = ""
    cells: int = 1
    noise: Noise = field(default_factory=Noise)

    def __bool__(self) -> bool:
        return bool(self.by_seed)

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return fmean(self.by_seed.values())


@dataclass(frozen=True)
class Finding:
    """Our figures, and what they say; of what is not decided, how many seeds would if means and spread stay."""

    figures: str
    verdict: str
    seeds_needed: int | None = None


NOTHING_RUN = Finding("", NOT_RUN)


def mean_of(sample: Sample) -> str:
    """A mean over seeds and half of its 95 % interval, for people."""
    return str(mean_with_interval(list(sample.by_seed.values())))


@dataclass(frozen=True)
class Difference:
    """Of two samples, seed by seed: the mean with its 95 % interval, and the deviation of one seed's difference."""

    mean: Mean
    deviation: float
    seeds: int

    @property
    def highest(self) -> float:
        """The upper end of the interval."""
        return self.mean.value + (self.mean.margin or 0.0)

    def seeds_for(self, distance: float) -> int | None:
        """How many seeds would make half of the interval shorter than that."""
        return seeds_to_decide(self.deviation, self.seeds, distance)


def difference(left: Sample, right: Sample) -> Difference | None:
    """Its spread is that of its seeds or, if that is better known, the noise of both schemes; None below two seeds."""
    apart = [left.by_seed[seed] - right.by_seed[seed] for seed in left.by_seed.keys() & right.by_seed.keys()]
    if len(apart) < 2:
        return None
    noise = left.noise if left.scheme == right.scheme else left.noise + right.noise
    if noise.free <= len(apart) - 1:
        return Difference(mean_with_interval(apart), stdev(apart), len(apart))
    deviation = sqrt(noise.squares / noise.free * (1 / left.cells + 1 / right.cells))
    margin = student(noise.free) * deviation / sqrt(len(apart))
    return Difference(Mean(fmean(apart), margin), deviation, len(apart))


def student(free: float) -> float:
    """How many standard errors are half of a 95 % interval."""
    from scipy.special import stdtrit

    return float(stdtrit(free, 0.975))


def higher(left: Sample, right: Sample, names: tuple[str, str]) -> Finding:
    """Whether the first is higher than the second, seed by seed.

    It is where the 95 % interval of the difference is above 0, and is not where that is below what is noticeable.
    """
    found = difference(left, right)
    if found is None:
        return _too_few(left, right, names)
    least = noticeable(right.mean)
    verdict = verdict_on(found.mean)
    verdict = DOES_NOT if verdict == UNDECIDED and found.highest < least else verdict
    needed = found.seeds_for(max(found.mean.value, least - found.mean.value)) if verdict == UNDECIDED else None
    return Finding(_figures(left, right, names, found), verdict, needed)


def noticeable(accuracy: float) -> float:
    """The least difference that counts, in points: the standard error that so many test images leave an accuracy.

    >>> round(noticeable(68.0), 2), round(noticeable(98.0), 2)
    (0.47, 0.14)
    """
    return sqrt(max(0.0, accuracy * (100 - accuracy)) / TEST_IMAGES)


def within(left: Sample, right: Sample, names: tuple[str, str], points: float) -> Finding:
    """Whether the two are no further apart than so many points, by that interval."""
    found = difference(left, right)
    if found is None:
        return _too_few(left, right, names)
    inside = points - abs(found.mean.value)
    verdict = verdict_on(Mean(inside, found.mean.margin))
    needed = found.seeds_for(inside) if verdict == UNDECIDED else None
    return Finding(_figures(left, right, names, found), verdict, needed)


def _too_few(left: Sample, right: Sample, names: tuple[str, str]) -> Finding:
    return Finding(_figures(left, right, names), UNDECIDED) if left and right else NOTHING_RUN


def _figures(left: Sample, right: Sample, names: tuple[str, str], found: Difference | None = None) -> str:
    both = f"{names[0]} {left.mean:.2f}, {names[1]} {right.mean:.2f}"
    return both if found is None else f"{both} ({found.mean.value:+.2f} ± {found.mean.margin:.2f})"


def verdict_on(margin: Mean) -> str:
    """By how far something is above where it would not hold: the whole interval must be on one side of 0."""
    if margin.margin is None or abs(margin.value) <= margin.margin:
        return UNDECIDED
    return HOLDS if margin.value > 0 else DOES_NOT


def seeds_to_decide(deviation: float, seeds: int, distance: float) -> int | None:
    """How many seeds would, if spread and mean stay: the interval's half is then below the distance; None for too many.

    >>> seeds_to_decide(0.866, 4, 0.25)
    49
    """
    counts = range(seeds + 1, MOST_SEEDS + 1)
    return next((n for n in counts if student(n - 1) * deviation / sqrt(n) < abs(distance)), None)


def all_of(findings: Sequence[Finding]) -> Finding:
    """Several comparisons that a claim makes at once: it holds where all do, and fails where one does."""
    run = [finding for finding in findings if finding.verdict != NOT_RUN]
    if not run:
        return NOTHING_RUN
    verdicts = {finding.verdict for finding in run}
    verdict = DOES_NOT if DOES_NOT in verdicts else HOLDS if verdicts == {HOLDS} else UNDECIDED
    needed = [finding.seeds_needed for finding in run if finding.verdict == UNDECIDED]
    most = max((n for n in needed if n is not None), default=None) if None not in needed else None
    return Finding("; ".join(finding.figures for finding in run), verdict, most if verdict == UNDECIDED else None)
