"""What samples of finished runs say of a comparison: differences by seed, their 95 % intervals, and verdicts."""

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
    """Our figures, and what they say; of what is not decided, how many seeds or cells would if means and spread stay.

    Seeds beyond `MOST_SEEDS` are infinitely many; None is what nobody has counted.
    """

    figures: str
    verdict: str
    seeds_needed: float | None = None
    cells_needed: int | None = None


NOTHING_RUN = Finding("", NOT_RUN)

Decide = Callable[[float, float], tuple[str, float]]
"""From a difference and half of its interval to a verdict, and how short that half must be to decide."""


@dataclass(frozen=True)
class Difference:
    """Of two samples, seed by seed: the mean, half of its 95 % interval, and the deviation of one seed's difference."""

    mean: float
    margin: float
    deviation: float
    seeds: int


def difference(left: Sample, right: Sample) -> Difference | None:
    """Its spread is that of its seeds or, if that is better known, the noise of both schemes; None below two seeds."""
    apart = [
        left.by_seed[seed] - right.by_seed[seed]
        for seed in left.by_seed.keys() & right.by_seed.keys()
    ]
    if len(apart) < 2:
        return None
    noise = left.noise if left.scheme == right.scheme else left.noise + right.noise
    free = float(len(apart) - 1)
    deviation = stdev(apart)
    if noise.free > free:
        free, deviation = (
            noise.free,
            sqrt(noise.squares / noise.free * (1 / left.cells + 1 / right.cells)),
        )
    return Difference(
        fmean(apart),
        student(free) * deviation / sqrt(len(apart)),
        deviation,
        len(apart),
    )


def higher(left: Sample, right: Sample, names: tuple[str, str]) -> Finding:
    """Whether the first is higher than the second, seed by seed.

    It is where the 95 % interval of the difference is above 0, and is not where that is below what is noticeable.
    """

    def decide(value: float, margin: float) -> tuple[str, float]:
        least = noticeable(right.mean)
        low = value - margin
        high = value + margin
        return DOES_NOT if low <= 0 and high < least else verdict_on(low, high), max(
            value, least - value
        )

    return _compared(left, right, names, decide)


def noticeable(accuracy: float) -> float:
    """The least difference that counts, in points: the standard error that so many test images leave an accuracy.

    >>> round(noticeable(68.0), 2), round(noticeable(98.0), 2)
    (0.47, 0.14)
    """
    return sqrt(max(0.0, accuracy * (100 - accuracy)) / TEST_IMAGES)


def within(
    left: Sample, right: Sample, names: tuple[str, str], points: float
) -> Finding:
    """Whether the two are no further apart than so many points, by that interval."""

    def decide(value: float, margin: float) -> tuple[str, float]:
        inside = points - abs(value)
        return verdict_on(inside - margin, inside + margin), inside

    return _compared(left, right, names, decide)


def _compared(
    left: Sample, right: Sample, names: tuple[str, str], decide: Decide
) -> Finding:
    """The verdict on the difference, and how many seeds would decide it."""
    if not left or not right:
        return NOTHING_RUN
    figures = f"{names[0]} {left.mean:.2f}, {names[1]} {right.mean:.2f}"
    found = difference(left, right)
    if found is None:
        return Finding(figures, UNDECIDED, 2)
    verdict, distance = decide(found.mean, found.margin)
    if verdict == UNDECIDED:
        needed = seeds_to_decide(found.deviation, found.seeds, distance)
    else:
        needed = None
    return Finding(
        f"{figures} ({found.mean:+.2f} ± {found.margin:.2f})", verdict, needed
    )


def verdict_on(low: float, high: float) -> str:
    """By how far something is above where it would not hold: the whole interval must be on one side of 0."""
    if low > 0:
        return HOLDS
    return DOES_NOT if high < 0 else UNDECIDED


def seeds_to_decide(deviation: float, seeds: int, distance: float) -> float:
    """How many seeds would, if spread and mean stay: the interval's half is then below the distance; inf for too many.

    >>> seeds_to_decide(0.866, 4, 0.25)
    49
    """
    counts = range(seeds + 1, MOST_SEEDS + 1)
    return next(
        (n for n in counts if student(n - 1) * deviation / sqrt(n) < abs(distance)), inf
    )


def all_of(findings: Sequence[Finding]) -> Finding:
    """Several comparisons that a claim makes at once: it holds where all do, and fails where one does."""
    run = [finding for finding in findings if finding.verdict != NOT_RUN]
    if not run:
        return NOTHING_RUN
    verdicts = {finding.verdict for finding in run}
    if DOES_NOT in verdicts:
        verdict = DOES_NOT
    elif verdicts == {HOLDS}:
        verdict = HOLDS
    else:
        verdict = UNDECIDED
    if verdict == UNDECIDED:
        needed = max((finding.seeds_needed or 0 for finding in run), default=0)
    else:
        needed = None
    return Finding("; ".join(finding.figures for finding in run), verdict, needed)
