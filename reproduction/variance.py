"""Estimate the variance of accuracy that each factor causes: the random mapping, the network's seed and the split."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import variance

from protosphere.experiments.record import RunRecord
from protosphere.statistics.intervals import Mean

FACTORS = ("mapping", "network", "split")
"""Names of the factors, in the order of the settings `prototype_seed`, `seed` and `split_seed`."""


@dataclass(frozen=True)
class Spread:
    """Variance of accuracies between runs that differ only in one factor.

    Attributes:
        factor: One of `FACTORS`.
        runs: Number of runs.
        variance: Variance in squared percentage points.
        low: Lower end of the 95% interval of the variance.
        high: Upper end of this interval.
    """

    factor: str
    runs: int
    variance: float
    low: float
    high: float

    @property
    def deviation(self) -> Mean:
        """Standard deviation in percentage points. Its margin is half of the width of its 95% interval."""
        return Mean(self.variance**0.5, (self.high**0.5 - self.low**0.5) / 2)


def pooled_spread(factor: str, samples: Sequence[Sequence[float]]) -> Spread:
    """Return the variance within samples, pooled over all samples, with its 95% interval.

    The interval is computed by the chi-squared distribution, for normally distributed accuracies.

    Args:
        factor: Name of the factor that varies.
        samples: Accuracies in percent of each sample.

    >>> found = pooled_spread("split", [[1.0, 2.0, 3.0, 4.0]])
    >>> round(found.variance, 3), round(found.low, 3), round(found.high, 3)
    (1.667, 0.535, 23.17)
    """
    from scipy.special import chdtri

    free = sum(len(values) - 1 for values in samples)
    squares = sum((len(values) - 1) * variance(values) for values in samples)
    low, high = (squares / float(chdtri(free, level)) for level in (0.025, 0.975))
    return Spread(factor, free + len(samples), squares / free, low, high)


def spreads(records: Sequence[RunRecord]) -> list[Spread]:
    """Return the spread of each factor, computed from runs of the same scheme and dimension that differ only in it.

    Factors without at least two such runs are left out.
    """
    samples: dict[str, dict[tuple[object, ...], list[float]]] = {
        factor: {} for factor in FACTORS
    }
    for record in records:
        config = record.config
        accuracy = record.test_accuracy
        if min(config.prototype_seed, config.split_seed) < 0 or accuracy is None:
            continue
        seeds = (config.prototype_seed, config.seed, config.split_seed)
        for position, factor in enumerate(FACTORS):
            others = (
                config.scheme,
                config.dim,
                *seeds[:position],
                *seeds[position + 1 :],
            )
            samples[factor].setdefault(others, []).append(100 * accuracy)
    several = {
        factor: [values for values in own.values() if len(values) > 1]
        for factor, own in samples.items()
    }
    return [pooled_spread(factor, own) for factor, own in several.items() if own]
