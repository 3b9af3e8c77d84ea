"""Levenshtein's lower bound on the maximum cosine of K points in R^n, which holds for all K and n.

Levenshtein's function L_m of order m is defined by the Gegenbauer polynomials P_k of R^n, scaled so that P_k(1) = 1:

    L_{2k-1}(n, s) = C(k+n-3, k-1) [(2k+n-3)/(n-1) - (P_{k-1}(s) - P_k(s)) / ((1-s) P_k(s))]
    L_{2k}(n, s) = C(k+n-2, k) [(2k+n-1)/(n-1) - (1+s) (P_k(s) - P_{k+1}(s)) / ((1-s) (P_k(s) + P_{k+1}(s)))]
"""

from bisect import bisect_left
from fractions import Fraction
from math import comb, cos, pi

import numpy as np

from protosphere.bounds.bound import Bound
from protosphere.bounds.gegenbauer import neighbors
from protosphere.bounds.registry import bound
from protosphere.types import Cosine

LARGEST_ORDER = (
    4000  # for more points, the bound for the largest K of this order is returned
)
LARGEST_LEVENSHTEIN_DIM = 10**15
ROUNDING = 1e-15  # several times the rounding error of a root; subtracted, so that the bound is not too high


@bound(
    "Levenshtein",
    kind="converse",
    summary="for all K and n; for most K > 2n the highest proved bound, except for many points in n = 3 to 8",
    reference="Levenshtein (1998), Universal bounds for codes and designs, Handbook of Coding Theory, chapter 6",
)
def levenshtein(num_classes: int, dim: int) -> Bound:
    """Return a lower bound on the maximum cosine of K points in R^n by Levenshtein's theorem.

    The bound is the solution s of L_m(n, s) = K, where L_m is Levenshtein's function of order m. The order is the m
    with D(n, m) <= K <= D(n, m+1), where D(n, m) is the lower bound of Delsarte, Goethals and Seidel on the number of
    points of a spherical m-design. The icosahedron, the roots of E8, the shortest vectors of the Leech lattice and many
    more codes attain Levenshtein's bound. In the plane it is cos(2 pi / K). For K <= n + 1 and for K = 2n it equals
    Rankin's bound.

    Some other bounds are higher: `rankin` for n + 2 <= K < 2n, `coxeter_boroczky` for many points in 3 to 8 dimensions,
    and `proved_optimum` for a few K and n. The function `converse` returns the highest of all bounds.

    Two limits keep the computation finite. If K needs an order above 4000, the bound for the largest K of order 4000 is
    returned, which also holds for more points. If n is above 10^15 and K is above 2n, Rankin's bound 0 is returned.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the maximum cosine, with its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> levenshtein(240, 8)
        Bound(value=0.5, theorem='levenshtein')
    """
    return Bound(levenshtein_cosine(num_classes, dim), "levenshtein")


def levenshtein_cosine(K: int, n: int) -> Cosine:
    """Return Levenshtein's lower bound on the maximum cosine of K points in R^n.

    The bound is a Fraction if it has a simple formula, such as -1/(K-1) for K <= n + 1. Otherwise it is a float that is
    rounded down. If K needs a function of an order above 4000, the bound for the largest K of order 4000 is returned,
    which also holds for more points. If n is above 10^15 and K is above 2n, the bound is 0.

    Args:
        K: Number of points, at least 2.
        n: Dimension, at least 1.
    """
    if n + 1 >= K:
        return Fraction(-1, K - 1)
    if 2 * n >= K:
        return Fraction(K - 2 * n, n * (K - 2))
    if n == 1:
        return Fraction(1)  # at least two of three points on a line coincide
    if n == 2:
        return cos(2 * pi / min(K, 10**16)) - ROUNDING
    if n > LARGEST_LEVENSHTEIN_DIM:
        return Fraction(0)
    order = levenshtein_order(K, n)
    return solution(min(K, design_size(n, order + 1)), n, order) - ROUNDING


def levenshtein_order(K: int, n: int) -> int:
    """Return the order of Levenshtein's function for K points in R^n: the smallest m >= 3 with K <= D(n, m+1).

    Here D(n, m) is the lower bound of Delsarte, Goethals and Seidel on the number of points of a spherical m-design in
    R^n. If the smallest such m is above 4000, 4000 is returned.

    Args:
        K: Number of points.
        n: Dimension.
    """
    return 3 + bisect_left(
        range(3, LARGEST_ORDER), K, key=lambda m: design_size(n, m + 1)
    )


def design_size(n: int, m: int) -> int:
    """Return the lower bound of Delsarte, Goethals and Seidel on the number of points of a spherical m-design in R^n.

    Args:
        n: Dimension.
        m: Strength of the design. For every polynomial of degree up to m, the mean over the points of the design is the
            mean over the sphere.
    """
    k = m // 2
    if m % 2:
        return 2 * comb(n + k - 1, k)
    return comb(n + k - 1, k) + comb(n + k - 2, k - 1)


def solution(K: int, n: int, order: int) -> float:
    """Return the cosine s with L_m(n, s) = K, where L_m is Levenshtein's function of order m.

    Args:
        K: Number of points, from D(n, m) to D(n, m+1), where D(n, m) is the value of `design_size(n, m)`.
        n: Dimension.
        order: The order m.
    """
    from scipy.optimize import brentq

    k = (order + 1) // 2
    low = largest_zero(n, k - 1, 1) if order % 2 else largest_zero(n, k, 0)
    high = largest_zero(n, k, 0) if order % 2 else largest_zero(n, k, 1)
    excess = odd_excess if order % 2 else even_excess
    if excess(low, K, n, k) >= 0:
        return low
    if excess(high, K, n, k) <= 0:
        return high
    return float(brentq(excess, low, high, args=(K, n, k), xtol=1e-16, rtol=1e-15))


def odd_excess(s: float, K: int, n: int, k: int) -> float:
    """Return (L_{2k-1}(n, s) - K) / C(k+n-3, k-1), where L_m is Levenshtein's function of order m.

    Levenshtein's bound of odd order 2k - 1 is the zero of this function of s. The binomial coefficient keeps the values
    moderate.

    Args:
        s: Cosine.
        K: Number of points.
        n: Dimension.
        k: Half of the order 2k - 1, rounded up.
    """
    lower, upper = neighbors(n, k, s)
    return (
        (2 * k + n - 3) / (n - 1)
        - (lower - upper) / ((1 - s) * upper)
        - K / comb(k + n - 3, k - 1)
    )


def even_excess(s: float, K: int, n: int, k: int) -> float:
    """Return (L_{2k}(n, s) - K) / C(k+n-2, k), where L_m is Levenshtein's function of order m.

    Levenshtein's bound of even order 2k is the zero of this function of s. The binomial coefficient keeps the values
    moderate.

    Args:
        s: Cosine.
        K: Number of points.
        n: Dimension.
        k: Half of the order 2k.
    """
    lower, upper = neighbors(n, k + 1, s)
    ratio = (1 + s) * (lower - upper) / ((1 - s) * (lower + upper))
    return (2 * k + n - 1) / (n - 1) - ratio - K / comb(k + n - 2, k)


def largest_zero(n: int, degree: int, shift: int) -> float:
    """Return the largest zero of the Jacobi polynomial P_d^(a, b) with a = (n-1)/2 and b = shift + (n-3)/2.

    Levenshtein's bound of each order lies between two such zeros.

    Args:
        n: Dimension.
        degree: Degree d of the polynomial, at least 1.
        shift: 0 or 1.
    """
    from scipy.linalg import eigvalsh_tridiagonal

    a = (n - 1) / 2
    b = shift + (n - 3) / 2
    j = np.arange(degree, dtype=np.float64)
    center = 2 * j + a + b
    diagonal = (b - a) * (b + a) / (center * (center + 2))
    i = j[1:]
    middle = center[1:]
    square = (
        4
        * (i / middle)
        * ((i + a) / middle)
        * ((i + b) / (middle + 1))
        * ((i + a + b) / (middle - 1))
    )
    last = (degree - 1, degree - 1)
    return float(
        eigvalsh_tridiagonal(diagonal, np.sqrt(square), select="i", select_range=last)[
            0
        ]
    )
