"""Gegenbauer polynomials P_k of the sphere in R^n, scaled so that P_k(1) = 1.

They satisfy the recurrence (k+n-2) P_{k+1}(t) = (2k+n-2) t P_k(t) - k P_{k-1}(t), with P_0(t) = 1 and P_1(t) = t.
"""

import numpy as np

from protosphere.types import Points

SMALLEST = 1e-100


def gegenbauer_rows(dim: int, degree: int, t: Points) -> Points:
    """Return the values of the Gegenbauer polynomials P_0, ..., P_degree at the numbers `t`.

    P_k is the polynomial of degree k for the sphere in R^n, scaled so that P_k(1) = 1.

    Args:
        dim: Dimension n.
        degree: Largest degree, at least 1.
        t: Vector of the numbers, usually cosines.

    Returns:
        Matrix with one row for each polynomial and one column for each entry of `t`.

    >>> gegenbauer_rows(3, 2, np.array([0.0, 1.0])).tolist()
    [[1.0, 1.0], [0.0, 1.0], [-0.5, 1.0]]
    """
    rows = np.empty((degree + 1, len(t)))
    rows[0], rows[1] = 1.0, t
    for k in range(1, degree):
        rows[k + 1] = ((2 * k + dim - 2) * t * rows[k] - k * rows[k - 1]) / (
            k + dim - 2
        )
    return rows


def neighbors(dim: int, degree: int, t: float) -> tuple[float, float]:
    """Return two numbers with the same signs and the same ratio as P_{k-1}(t) and P_k(t), where k = `degree`.

    P_k is the Gegenbauer polynomial of degree k for the sphere in R^n. Unless its values are tiny, the two numbers are
    P_{k-1}(t) and P_k(t). Tiny values are multiplied by a common positive factor, which avoids underflow.

    Args:
        dim: Dimension n.
        degree: The degree k, at least 1.
        t: Number from -1 to 1.

    Returns:
        The number for degree k - 1, and the number for degree k.
    """
    lower = 1.0
    upper = t
    for k in range(1, degree):
        lower, upper = (
            upper,
            ((2 * k + dim - 2) * t * upper - k * lower) / (k + dim - 2),
        )
        size = abs(lower) + abs(upper)
        if size < SMALLEST:
            lower = lower / size
            upper = upper / size
    return lower, upper
