"""Simplex bound of Coxeter and Boroczky on the maximum cosine of K points in R^n.

The theorem bounds the density of equal spherical caps that do not overlap. The density is at most the fraction of a
regular spherical simplex that n caps cover. The caps are centered at the n vertices of the simplex, and each cap
touches all others.
"""

from math import exp, log

import numpy as np

from protosphere.bounds.bound import Bound
from protosphere.bounds.quadrature import gauss_legendre
from protosphere.bounds.registry import bound
from protosphere.errors import brief
from protosphere.types import Points

SMALLEST_DIM = 3
LARGEST_COXETER_DIM = 8
CLOSEST = 1e-15  # smallest value of 1 - cosine; if K needs a smaller one, the bound for this value is returned
ROUNDING = 4e-15  # more than the errors of quadrature and root finding; subtracted, so that the bound is not too high


def _infeasible_reason(K: int, n: int) -> str | None:
    if not SMALLEST_DIM <= n <= LARGEST_COXETER_DIM:
        return f"'coxeter_boroczky' needs 'dim' from {SMALLEST_DIM} to {LARGEST_COXETER_DIM}, got {brief(n)}"
    if 2 * n >= K:
        return f"'coxeter_boroczky' needs 'num_classes' above 2 dim, got {K}; smallest: {2 * n + 1}"
    return None


@bound(
    "Coxeter-Böröczky",
    kind="converse",
    summary="the simplex bound for n = 3 to 8 and K > 2n; for many points higher than Levenshtein's bound",
    reference="Coxeter (1963), An upper bound for the number of equal nonoverlapping spheres; Boroczky (1978)",
    infeasible_reason=_infeasible_reason,
)
def coxeter_boroczky(num_classes: int, dim: int) -> Bound:
    """Return a lower bound on the maximum cosine of K > 2n points in R^n by the simplex bound, for n = 3, ..., 8.

    The bound follows from the largest density of equal spherical caps that do not overlap, and is rounded down. The
    icosahedron and the 600-cell attain it. For many points, the bound is higher than Levenshtein's bound. Examples are
    all K of at least 24 in three dimensions, and all K of at least about 1,000 in eight dimensions.

    Args:
        num_classes: Number K of points, above 2 n.
        dim: Dimension n, from 3 to 8.

    Returns:
        The lower bound on the maximum cosine, with its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.
        InfeasibleError: If K is at most 2n, or n is not from 3 to 8.

    Example:
        >>> coxeter_boroczky(120, 4)  # cos 36 degrees
        Bound(value=0.809017, theorem='coxeter_boroczky')
    """
    from scipy.optimize import brentq

    # the bound is the solution s of N(s) = K, where N is the simplex bound on the number of points
    def shortage(log_gap: float) -> float:  # log_gap is the logarithm of 1 - s
        return log(num_classes) - log(simplex_bound(dim, exp(log_gap)))

    served = shortage(log(CLOSEST)) < 0
    if served:
        gap = exp(brentq(shortage, log(CLOSEST), 0.0, xtol=1e-15, rtol=1e-15))
    else:
        gap = CLOSEST
    return Bound(1 - gap - ROUNDING, "coxeter_boroczky")


def simplex_bound(n: int, gap: float) -> float:
    """Return the simplex bound: an upper bound on the number of points in R^n whose cosines are at most s = 1 - gap.

    The bound is 2 F_{n-1}(a) / F_n(a). The function F_n (Schlaefli's function) is proportional to the volume of a
    regular spherical simplex in R^n, and the angle a is given by sec 2a = 1/s + n - 2.

    Args:
        n: Dimension.
        gap: The number 1 - s, which may be very small.
    """
    below = 1 + (n - 2) * (1 - gap)  # cos 2a = s / below
    larger = schlaefli(n - 1, np.array([1 / ((n - 2) * below)]))
    smaller = schlaefli(n, np.array([gap / ((n - 1) * below)]))
    return float(2 * larger[0] / smaller[0])


def schlaefli(order: int, width: Points) -> Points:
    """Return Schlaefli's function F_N(a), which is proportional to the volume of a regular spherical simplex.

    Let t = cos 2a, and let G_N be F_N as a function of t. Then G_1(t) = 1, G_2(t) = arccos(t) / pi, and

        G_N(t) = (1/pi) * integral from t to 1/(N-1) of G_{N-2}(x / (1-2x)) / sqrt(1-x^2) dx.

    For many points, t is close to 1/(N-1). Therefore the argument `width` is the difference 1/(N-1) - t, which keeps
    more digits than t.

    Args:
        order: Order N of the function.
        width: Array of the numbers 1/(N-1) - cos 2a >= 0, one for each angle a.

    Returns:
        Array of the values of the function. For N >= 2, the value at width 0 is 0.
    """
    if order == 1:
        return np.ones_like(width)
    if order == 2:
        return 2 / np.pi * np.arcsin(np.sqrt(width / 2))
    nodes, weights = gauss_legendre(24)
    step = np.multiply.outer(width, nodes**2)
    x = 1 / (order - 1) - step
    inner = np.ones_like(step)
    if order > 3:
        narrowed = (order - 1) * step / ((order - 3) * (1 - 2 * x))
        inner = schlaefli(order - 2, narrowed.ravel()).reshape(step.shape)
    return 2 / np.pi * width * ((inner * nodes / np.sqrt(1 - x * x)) @ weights)
