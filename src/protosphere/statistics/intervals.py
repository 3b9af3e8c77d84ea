"""Means with confidence intervals, and comparisons of training methods by them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev


@dataclass(frozen=True)
class Mean:
    """A mean, and half the width of its 95% confidence interval by Student's t; None for a single number."""

    value: float
    margin: float | None

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} ± {self.margin:.2f}"


@dataclass(frozen=True)
class Compared:
    """Mean of a metric over the seeds of one method at one dimension, at its selected learning rate.

    `difference` is the mean difference from the reference method at that dimension, over the seeds that both have. It
    is None for the reference itself, or if they share fewer than two seeds.
    """

    way: str
    dim: int
    lr: float
    seeds: int
    mean: Mean
    difference: Mean | None


def mean_with_interval(values: Sequence[float]) -> Mean:
    """Return the mean of at least one number, with its confidence interval.

    >>> str(mean_with_interval([1.0, 2.0, 3.0]))
    '2.00 ± 2.48'
    """
    if len(values) < 2:
        return Mean(values[0], None)
    return Mean(
        fmean(values), student(len(values) - 1) * stdev(values) / sqrt(len(values))
    )


def student(free: float) -> float:
    """Return the half-width of a 95% confidence interval in standard errors, by Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(free, 0.975))
