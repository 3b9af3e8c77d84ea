"""How much of the spread of accuracies is due to which class gets which prototype, to the network's seed, the split."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import variance

from protosphere.intervals import Mean
from protosphere.training.recipe import Recipe
from protosphere.training.records import RunRecord

FACTORS = ("mapping", "network", "split")
"""What varies alone while the others stay: `prototype_seed`, `seed` and `split_seed` of a recipe."""


@dataclass(frozen=True)
class Spread:
    """The variance of accuracies in per cent, squared, as one factor varies.

    Attributes:
        factor: of `FACTORS`.
        runs: over how many.
        variance: of their accuracies.
        low, high: its 95 % interval, for normal accuracies.
    """

    factor: str
    runs: int
    variance: float
    low: float
    high: float

    @property
    def deviation(self) -> Mean:
        """Its root, and about half of the width of that one's interval."""
        return Mean(self.variance**0.5, (self.high**0.5 - self.low**0.5) / 2)


def spread_of(factor: str, accuracies: Sequence[float]) -> Spread:
    """The variance of at least two numbers, and by chi squared where it may lie.

    >>> found = spread_of("split", [1.0, 2.0, 3.0, 4.0])
    >>> round(found.variance, 3), round(found.low, 3), round(found.high, 3)
    (1.667, 0.535, 23.17)
    """
    from scipy.special import chdtri

    free, found = len(accuracies) - 1, variance(accuracies)
    return Spread(
        factor, free + 1, found, free * found / float(chdtri(free, 0.025)), free * found / float(chdtri(free, 0.975))
    )


def spreads(records: Sequence[RunRecord]) -> list[Spread]:
    """Of each factor, over the runs in which it alone varies about the most common of all; those with two at least."""
    design = [r for r in records if r.recipe.prototype_seed >= 0 and r.recipe.split_seed >= 0]
    groups: dict[str, list[list[float]]] = {factor: [] for factor in FACTORS}
    for position, factor in enumerate(FACTORS):
        alike: dict[tuple[object, ...], list[float]] = {}
        for record in design:
            seeds = _seeds(record.recipe)
            key = (record.recipe.scheme, record.recipe.dim, *seeds[:position], *seeds[position + 1 :])
            if record.test_accuracy is not None:
                alike.setdefault(key, []).append(100 * record.test_accuracy)
        groups[factor] = sorted(alike.values(), key=len)
    longest = {factor: found[-1] for factor, found in groups.items() if found and len(found[-1]) > 1}
    return [spread_of(factor, values) for factor, values in longest.items()]


def _seeds(recipe: Recipe) -> tuple[int, int, int]:
    return recipe.prototype_seed, recipe.seed, recipe.split_seed
