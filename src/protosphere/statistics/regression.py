"""Linear regression with a confidence interval of the slope.

The slope is the factor by which x is multiplied in the line y = intercept + slope x.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np

from protosphere.types import Points

NORMAL_QUANTILE = 1.96
"""A normal distribution has 95% of its values within this number of standard deviations of its mean."""


@dataclass(frozen=True)
class Regression:
    """Linear regression by least squares: the line y = intercept + slope x that is fitted to points (x, y).

    Attributes:
        count: Number of points.
        slope: Change of y per unit of x.
        intercept: Value of the line at x = 0.
        r_squared: Fraction of the variance of y that the regression explains, R², from 0 to 1.
        low: Lower end of the 95% confidence interval of the slope by Student's t distribution.
        high: Upper end of this interval.
        p_value: P-value of the test of the hypothesis that the slope is 0.
    """

    count: int
    slope: float
    intercept: float
    r_squared: float
    low: float
    high: float
    p_value: float

    @property
    def strength(self) -> tuple[float, float]:
        """Fisher's z-transform of the absolute value of the correlation of x and y, and its own standard error.

        The transform is approximately normally distributed, so it can be used to test whether two correlations differ.
        """
        return atanh(min(sqrt(self.r_squared), 1 - 1e-12)), 1 / sqrt(
            max(self.count - 3, 1e-9)
        )

    @property
    def r_squared_interval(self) -> tuple[float, float]:
        """Lower end and upper end of the 95% confidence interval of `r_squared`, computed by Fisher's z-transform.

        >>> line = regression([0, 1, 2, 3, 4], [0, 1, 3, 2, 4])
        >>> [round(end, 2) for end in line.r_squared_interval]
        [0.01, 0.99]
        """
        z, error = self.strength
        return max(0.0, tanh(z - NORMAL_QUANTILE * error)) ** 2, tanh(
            z + NORMAL_QUANTILE * error
        ) ** 2


def correlation(x: Points, y: Points) -> float:
    """Return Pearson's correlation of x and y.

    If x or y is constant, the result is 0.

    Args:
        x: First values.
        y: Second values, an array of the same length.
    """
    return 0.0 if min(np.ptp(x), np.ptp(y)) < 1e-9 else float(np.corrcoef(x, y)[0, 1])


def regression(x: Sequence[float], y: Sequence[float]) -> Regression | None:
    """Return the linear regression of y on x.

    If there are fewer than three points, or if all x are equal, the result is None.

    Args:
        x: Values of the predictor.
        y: Values to predict.

    >>> regression([0, 1, 2, 3], [0, 1, 2, 4]).slope
    1.3
    """
    if len(x) < 3 or min(x) == max(x):
        return None
    from scipy.stats import linregress, t

    slope, intercept, r, p_value, error = (float(number) for number in linregress(x, y))
    margin = float(t.ppf(0.975, len(x) - 2)) * error
    return Regression(
        len(x), slope, intercept, r**2, slope - margin, slope + margin, p_value
    )
