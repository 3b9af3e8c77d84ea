"""Standardize features to mean 0 and variance 1.

The examples may have weights. The features are NumPy arrays or SciPy sparse matrices, and may be given in batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Moments:
    """Weighted means and variances of the m features of a set of examples.

    Attributes:
        total: Sum of the weights of all examples.
        mean: Means of the m features.
        variance: Variances of the m features.
    """

    total: float
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    def standardized(self, features: Any) -> NDArray[np.float64]:
        """Return the standardized features, (features - mean) / (standard deviation), as a NumPy array.

        If a feature is constant over the set of examples, up to rounding, only its mean is subtracted.

        Args:
            features: N x m array, or SciPy sparse matrix, with one row per example. The examples need not be those of
                the set.
        """
        dense: NDArray[np.float64] = (
            features.toarray() if hasattr(features, "toarray") else features
        )
        deviation = np.sqrt(self.variance)
        varies = deviation > 10 * np.finfo(np.float64).eps * np.abs(self.mean)
        return (dense - self.mean) / np.where(varies, deviation, 1.0)

    def together(self, other: Moments) -> Moments:
        """Return the weighted means and variances of the union of this set of examples and another set.

        Args:
            other: Weighted means and variances of the other set, and the sum of its weights.
        """
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
    """Return the weighted means and variances of the m features of N examples.

    Args:
        features: N x m array, or SciPy sparse matrix in CSR format, with one row per example.
        weights: N weights of the examples. They are not negative, and their sum is positive.
    """
    total = float(weights.sum())
    mean: NDArray[np.float64] = weights @ features / total
    if not hasattr(features, "toarray"):
        return Moments(total, mean, weights @ np.square(features - mean) / total)
    # one weight per stored entry; the other entries are zeros
    each = np.repeat(weights, np.diff(features.indptr))
    stored = np.bincount(features.indices, each, len(mean))
    deviations = np.square(features.data - mean[features.indices])
    of_stored = np.bincount(features.indices, each * deviations, len(mean))
    of_zeros = (total - stored).clip(0) * np.square(mean)
    return Moments(total, mean, (of_stored + of_zeros) / total)
