"""Features brought to mean 0 and deviation 1, from examples that may be weighted, sparse, and come in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Moments:
    """The weight of examples, and the mean and variance of their features."""

    total: float
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    def standardised(self, features: Any) -> NDArray[np.float64]:
        """(features - mean) / deviation, sparse rows as an array; those that are constant but for rounding by 1."""
        dense: NDArray[np.float64] = (
            features.toarray() if hasattr(features, "toarray") else features
        )
        deviation = np.sqrt(self.variance)
        varies = deviation > 10 * np.finfo(np.float64).eps * np.abs(self.mean)
        return (dense - self.mean) / np.where(varies, deviation, 1.0)

    def together(self, other: Moments) -> Moments:
        """The moments of both sets of examples."""
        total = self.total + other.total
        share = other.total / total
        apart = other.mean - self.mean
        variance = (
            (1 - share) * self.variance
            + share * other.variance
            + share * (1 - share) * np.square(apart)
        )
        return Moments(total, self.mean + share * apart, variance)


def moments(features: Any, weights: NDArray[np.float64]) -> Moments:
    """Those of weighted examples: an array, or compressed sparse rows."""
    total = float(weights.sum())
    mean: NDArray[np.float64] = weights @ features / total
    if not hasattr(features, "toarray"):
        return Moments(total, mean, weights @ np.square(features - mean) / total)
    each = np.repeat(
        weights, np.diff(features.indptr)
    )  # one a stored entry; the others are zeros
    stored = np.bincount(features.indices, each, len(mean))
    squares = np.bincount(
        features.indices,
        each * np.square(features.data - mean[features.indices]),
        len(mean),
    )
    return Moments(
        total, mean, (squares + (total - stored).clip(0) * np.square(mean)) / total
    )
