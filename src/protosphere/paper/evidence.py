"""What finished runs say for or against a claim: differences of runs with the same seed, and their 95 % intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from protosphere.intervals import Mean, mean_with_interval
from protosphere.paper.predictors import cells_of
from protosphere.regression import Regression, regression
from protosphere.training.recipe import Recipe
from protosphere.training.records import RunRecord

HOLDS, DOES_NOT, UNDECIDED, NOT_RUN = "holds", "does not hold", "not decided", "not run"

SCHEMES = ("one_hot", "simplex", "bch", "reed_muller", "log_sum_exp", "mean_row_max")
"""Of the paper's experiments."""

MOST_SEEDS = 1000
"""A difference that would need more than these is as good as none."""

TEST_IMAGES = 10_000
"""Of MNIST and of CIFAR-100 alike."""

Sample = Mapping[int, float]
"""Accuracies in per cent by seed."""


@dataclass(frozen=True)
class Finding:
    """Our figures, and what they say; of what is not decided, how many seeds would if means and spread stay."""

    figures: str
    verdict: str
    seeds_needed: int | None = None


NOTHING_RUN = Finding("", NOT_RUN)


@dataclass(frozen=True)
class Evidence:
    """The finished runs of one dataset with one network and one number of epochs."""

    records: tuple[RunRecord, ...]

    def sample(self, scheme: str, dims: Iterable[int] = (), mapping: str | None = None) -> Sample:
        """For each seed the mean accuracy of the runs asked for; no dims are all dims, no mapping both."""
        wanted, found = set(dims), dict[int, list[float]]()
        for record in self.grid:
            recipe = record.recipe
            if (
                recipe.scheme == scheme
                and (not wanted or recipe.dim in wanted)
                and mapping in (None, recipe.mapping)
                and record.test_accuracy is not None
            ):
                found.setdefault(recipe.seed, []).append(100 * record.test_accuracy)
        return {seed: fmean(values) for seed, values in sorted(found.items())}

    @property
    def grid(self) -> list[RunRecord]:
        """The runs of the paper's own kind; prototypes and split have the seed of the rest."""
        return [r for r in self.records if _is_of_the_paper(r.recipe)]

    @property
    def alike(self) -> list[RunRecord]:
        """All runs but those in which one seed varies alone."""
        return [r for r in self.records if max(r.recipe.prototype_seed, r.recipe.split_seed) < 0]

    @property
    def unaligned(self) -> list[RunRecord]:
        """Those of them in which no class chose its prototype: mapped as they come, or at random."""
        return [r for r in self.alike if r.recipe.mapping in ("fixed", "random")]

    def line(self) -> Regression | None:
        """Accuracy in per cent against the largest cosine, a point for each scheme, dimension and mapping."""
        cells = cells_of("max cosine", self.grid)
        return regression([cell.number for cell in cells], [cell.accuracy for cell in cells])

    @property
    def seeds(self) -> int:
        """How many different ones."""
        return len({record.recipe.seed for record in self.grid})

    @property
    def of_features(self) -> bool:
        """Whether the network saw features of images, and no images."""
        return bool(self.records) and self.records[0].recipe.dataset.endswith("-features")

    @property
    def budget(self) -> str:
        """Data, network and epochs, in words."""
        if not self.records:
            return ""
        recipe = self.records[0].recipe
        return f"{'features, ' if self.of_features else ''}{recipe.backbone}, {recipe.epochs} epochs"


def _is_of_the_paper(recipe: Recipe) -> bool:
    own = (recipe.scheme in SCHEMES, recipe.mapping in ("fixed", "random"), recipe.head == "prototypes")
    return all(own) and max(recipe.prototype_seed, recipe.split_seed) < 0 and recipe.preset == "lindstrom"


def bodies_of_evidence(dataset: str, records: Iterable[RunRecord]) -> list[Evidence]:
    """The runs on a dataset and on its features, network by network; of each network the longest training there is."""
    bodies: dict[tuple[str, str], dict[int, list[RunRecord]]] = {}
    for record in records:
        recipe = record.recipe
        if record.status == "done" and recipe.dataset in (dataset, f"{dataset}-features"):
            bodies.setdefault((recipe.dataset, recipe.backbone), {}).setdefault(recipe.epochs, []).append(record)
    return [Evidence(tuple(lengths[max(lengths)])) for _, lengths in sorted(bodies.items(), key=_longest_last)]


def _longest_last(body: tuple[tuple[str, str], dict[int, list[RunRecord]]]) -> tuple[bool, int]:
    (_, backbone), lengths = body
    return backbone.startswith("resnet"), max(lengths)


def mean_of(sample: Sample) -> str:
    """A mean over seeds and half of its 95 % interval, for people."""
    return str(mean_with_interval(list(sample.values())))


def higher(left: Sample, right: Sample, names: tuple[str, str]) -> Finding:
    """Whether the first is higher than the second, seed by seed.

    It is where the 95 % interval of the difference is above 0, and is not where that is below what is noticeable.
    """
    differences, figures = _paired(left, right, names)
    if len(differences) < 2:
        return Finding(figures, UNDECIDED) if figures else NOTHING_RUN
    difference = mean_with_interval(differences)
    least = noticeable(fmean(right.values()))
    verdict = verdict_on(difference)
    if verdict == UNDECIDED and difference.value + (difference.margin or 0.0) < least:
        verdict = DOES_NOT
    distance = max(difference.value, least - difference.value)
    return Finding(figures, verdict, seeds_to_decide(differences, distance) if verdict == UNDECIDED else None)


def noticeable(accuracy: float) -> float:
    """The least difference that counts, in points: the standard error that so many test images leave an accuracy.

    >>> round(noticeable(68.0), 2), round(noticeable(98.0), 2)
    (0.47, 0.14)
    """
    return sqrt(max(0.0, accuracy * (100 - accuracy)) / TEST_IMAGES)


def within(left: Sample, right: Sample, names: tuple[str, str], points: float) -> Finding:
    """Whether the two are no further apart than so many points, by that interval."""
    differences, figures = _paired(left, right, names)
    if len(differences) < 2:
        return Finding(figures, UNDECIDED) if figures else NOTHING_RUN
    difference = mean_with_interval(differences)
    inside = points - abs(difference.value)
    verdict = verdict_on(Mean(inside, difference.margin))
    return Finding(figures, verdict, seeds_to_decide(differences, inside) if verdict == UNDECIDED else None)


def _paired(left: Sample, right: Sample, names: tuple[str, str]) -> tuple[list[float], str]:
    """The differences of runs with the same seed, and all that in words; no words where one side has no runs."""
    if not left or not right:
        return [], ""
    differences = [left[seed] - right[seed] for seed in left.keys() & right.keys()]
    figures = f"{names[0]} {fmean(left.values()):.2f}, {names[1]} {fmean(right.values()):.2f}"
    if len(differences) > 1:
        difference = mean_with_interval(differences)
        figures += f" ({difference.value:+.2f} ± {difference.margin:.2f})"
    return differences, figures


def verdict_on(margin: Mean) -> str:
    """By how far something is above where it would not hold: the whole interval must be on one side of 0."""
    if margin.margin is None or abs(margin.value) <= margin.margin:
        return UNDECIDED
    return HOLDS if margin.value > 0 else DOES_NOT


def seeds_to_decide(differences: Sequence[float], distance: float) -> int | None:
    """How many seeds would, if spread and mean stay: the interval's half is then below the distance; None for too many.

    >>> seeds_to_decide([1.0, -0.5, 1.0, -0.5], 0.25)
    49
    """
    from scipy.special import stdtrit

    spread = stdev(differences)
    counts = range(len(differences) + 1, MOST_SEEDS + 1)
    return next((n for n in counts if float(stdtrit(n - 1, 0.975)) * spread / sqrt(n) < abs(distance)), None)


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
