"""Means with 95% confidence intervals, and the rows of a table that compares training methods."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev


@dataclass(frozen=True)
class Mean:
    """A mean with its 95% confidence interval by Student's t distribution.

    Attributes:
        value: The mean.
        margin: Half of the width of the interval. None if there is no interval, because the mean is that of a single
            value.
    """

    value: float
    margin: float | None

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} ± {self.margin:.2f}"


@dataclass(frozen=True)
class Compared:
    """One row of a comparison of training methods: the mean of a metric for one method at one dimension.

    Attributes:
        method: Name of the training method.
        dim: Dimension n.
        lr: Learning rate that was chosen for the method by validation accuracy.
        seeds: Number of runs. Every run has a different seed.
        mean: Mean of the metric over the runs.
        difference: Mean of the differences between this method and a reference method, over the seeds for which both
            have runs. A difference is the metric of this method minus that of the reference method. None in the row of
            the reference method, and also if there are fewer than two such seeds.
    """

    method: str
    dim: int
    lr: float
    seeds: int
    mean: Mean
    difference: Mean | None


def mean_with_interval(values: Sequence[float]) -> Mean:
    """Return the mean of one or more values with its 95% confidence interval by Student's t distribution.

    For a single value, there is no interval, and the attribute `margin` of the result is None. In the example, the mean
    is 2.00, and half of the width of the interval is 2.48.

    >>> str(mean_with_interval([1.0, 2.0, 3.0]))
    '2.00 ± 2.48'
    """
    if len(values) < 2:
        return Mean(values[0], None)
    return Mean(
        fmean(values), student(len(values) - 1) * stdev(values) / sqrt(len(values))
    )


def student(free: float) -> float:
    """Return the 97.5% quantile of Student's t distribution with `free` degrees of freedom.

    Multiplied by the standard error of a mean, it gives half of the width of the 95% confidence interval of this mean.
    """
    from scipy.special import stdtrit

    return float(stdtrit(free, 0.975))
