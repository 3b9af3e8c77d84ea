"""Delsarte's linear programming bound, computed numerically.

For some K and n it is a little above Levenshtein's bound.
"""

from math import acos, inf, log, pi

import numpy as np

from protosphere.bounds.bound import Bound
from protosphere.bounds.gegenbauer import gegenbauer_rows
from protosphere.bounds.levenshtein import levenshtein, levenshtein_order
from protosphere.bounds.registry import bound
from protosphere.types import Points

DEGREE = 36
LARGEST_PROGRAM_DIM = 256  # no improvement on Levenshtein's bound is expected beyond it
NODES = 5 * DEGREE
FINER = 40  # points per node of the grid on which the polynomial is checked
ROUNDS = 4
# in units of 1 - cosine
FIRST_STEP = 0.05
LAST_STEP = 1e-6


@bound(
    "linear programming",
    kind="converse",
    summary="Delsarte's linear program for n = 3 to 256, to four or five digits; sometimes above Levenshtein's bound",
    reference="Delsarte, Goethals & Seidel (1977), Spherical codes and designs",
    numerical=True,
)
def linear_programming(num_classes: int, dim: int) -> Bound:
    """Return the higher of two lower bounds on the maximum cosine: Delsarte's (linear programming) and Levenshtein's.

    Delsarte's bound is left out in three cases: n is below 3 or above 256, K is at most 2n, or Levenshtein's bound
    needs a polynomial of degree above 36. Then the result is Levenshtein's bound.

    The linear program works with polynomials f = 1 + f_1 P_1 + ... + f_36 P_36, where P_k are Gegenbauer polynomials
    and all f_k are at least 0. If f is nowhere positive on [-1, s], a set of points whose cosines are all at most s has
    at most f(1) points. Therefore the maximum cosine of K points is above s if f(1) < K. Delsarte's bound is the
    largest s for which such an f is found. This bound is computed numerically in about half a second, and it is not
    proved. Four to five of its digits are reliable.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the maximum cosine, with the name of its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> linear_programming(24, 4).theorem
        'delsarte_lp (numerical)'
    """
    known = levenshtein(num_classes, dim)
    if (
        not 3 <= dim <= LARGEST_PROGRAM_DIM
        or 2 * dim >= num_classes
        or levenshtein_order(num_classes, dim) > DEGREE
    ):
        return known
    value = last_excluded(num_classes, dim, float(known))
    return known if value == float(known) else Bound(value, "delsarte_lp (numerical)")


def last_excluded(K: int, n: int, start: float) -> float:
    """Return a lower bound on the maximum cosine of K points in R^n, computed numerically by Delsarte's linear program.

    The linear program excludes a maximum cosine s if it proves that fewer than K points have cosines of at most s. The
    largest excluded s is searched by root finding. If no s above `start` is excluded, `start` is returned.

    Args:
        K: Number of points.
        n: Dimension.
        start: A lower bound on the maximum cosine by another theorem.
    """
    from scipy.optimize import brentq

    def surplus(s: float) -> float:
        return min(1.0, log(delsarte_size(n, s) / K))

    step = LAST_STEP * (1 - start)
    low = start + step
    high = start + FIRST_STEP * (1 - start)
    if surplus(low) >= 0:
        return start
    while surplus(high) < 0:
        low = high
        high = high + FIRST_STEP * (1 - high)
    last = float(brentq(surplus, low, high, xtol=step / 2)) - step
    return last if last > low and surplus(last) < 0 else low


def delsarte_size(dim: int, max_cosine: float) -> float:
    """Return Delsarte's upper bound on the number of points in R^n whose cosines are at most `max_cosine`.

    The bound is numerical and may be wrong by rounding errors.

    Args:
        dim: Dimension n.
        max_cosine: Maximum cosine of the points.

    >>> round(delsarte_size(8, 0.5), 2)
    240.0
    """
    return delsarte_polynomial(dim, max_cosine)[0]


def delsarte_polynomial(dim: int, max_cosine: float) -> tuple[float, list[float]]:
    """Solve Delsarte's linear program for points in R^n whose cosines are at most `max_cosine`.

    The solution is a polynomial f = f_0 P_0 + f_1 P_1 + ... + f_36 P_36, where P_k are the Gegenbauer polynomials of
    R^n and all f_k are at least 0. The values of f from -1 to `max_cosine` are at most 0. Therefore there are at most
    f(1) / f_0 points.

    Args:
        dim: Dimension n.
        max_cosine: Maximum cosine of the points.

    Returns:
        The upper bound f(1) / f_0 on the number of points, and the list of the coefficients f_0, ..., f_36. If no such
        polynomial is found, the bound is infinity and the list is empty.
    """
    from scipy.ndimage import maximum_filter1d
    from scipy.optimize import linprog

    angles = np.linspace(acos(max_cosine), pi, NODES * FINER)
    rows = gegenbauer_rows(dim, DEGREE, np.cos(angles))[1:]
    chosen = np.arange(0, NODES * FINER, FINER)
    best = inf
    polynomial: list[float] = []
    for _ in range(ROUNDS):
        at_most = -np.ones(len(chosen))
        answer = linprog(
            np.ones(DEGREE),
            A_ub=rows[:, chosen].T,
            b_ub=at_most,
            bounds=(0, None),
            method="highs",
        )
        if answer.status != 0:
            break
        coefficients = np.maximum(
            np.asarray(answer.x, dtype=np.float64), 0.0
        )  # HiGHS may stop a hair below
        values = 1 + coefficients @ rows
        excess = largest_excess(values)
        size = corrected_size(1 + float(coefficients.sum()), excess)
        if size < best:
            best = size
            polynomial = [1 - excess, *coefficients.tolist()]
        peaks = values == maximum_filter1d(values, 3, mode="nearest")
        chosen = np.union1d(chosen, np.flatnonzero(peaks & (values > 0)))
    return best, polynomial


def largest_excess(values: Points) -> float:
    """Return an upper bound on the maximum of a function on an interval, or 0 if the bound is negative.

    Near each point, the function is assumed to rise above its value at this point by at most a quarter of the absolute
    second difference of the values.

    Args:
        values: Values of the function at equally spaced points of the interval.
    """
    bend = np.pad(np.abs(np.diff(values, 2)), 1, mode="edge")
    # a parabola rises bend / 8 between its points
    return max(0.0, float(np.max(values + bend / 4)))


def corrected_size(at_one: float, excess: float) -> float:
    """Return the value of a polynomial at 1 after the polynomial is corrected to be at most 0 on an interval.

    The polynomial is f = 1 + f_1 P_1 + ..., where P_k are Gegenbauer polynomials. The correction subtracts `excess`
    from f, and divides the result by its new constant coefficient 1 - `excess`. If this coefficient is not positive,
    infinity is returned.

    Args:
        at_one: Value of f at 1 before the correction.
        excess: Upper bound on f on the interval before the correction.
    """
    return (at_one - excess) / (1 - excess) if excess < 1 else inf
