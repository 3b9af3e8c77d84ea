"""Means with what is known of them, and ways to train compared by them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev


@dataclass(frozen=True)
class Mean:
    """Of some numbers, and half of the width of its 95 % interval by Student's t; None for a single number."""

    value: float
    margin: float | None

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} ± {self.margin:.2f}"


@dataclass(frozen=True)
class Compared:
    """One way at one dimension of z and the learning rate it is taken at: the mean of the metric over so many seeds.

    `difference` is from the reference way at that dimension, over the seeds that both have; None for itself, or where
    they share fewer than two.
    """

    way: str
    dim: int
    lr: float
    seeds: int
    mean: Mean
    difference: Mean | None


def mean_with_interval(values: Sequence[float]) -> Mean:
    """The mean of at least one number.

    >>> str(mean_with_interval([1.0, 2.0, 3.0]))
    '2.00 ± 2.48'
    """
    if len(values) < 2:
        return Mean(values[0], None)
    return Mean(
        fmean(values), student(len(values) - 1) * stdev(values) / sqrt(len(values))
    )


def student(free: float) -> float:
    """How many standard errors are half of a 95 % interval."""
    from scipy.special import stdtrit

    return float(stdtrit(free, 0.975))
