"""Welch's lower bounds on the largest absolute cosine of lines and on the mean squared cosine of points."""

from fractions import Fraction
from math import isqrt, sqrt

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import checked_size
from protosphere.errors import as_integer
from protosphere.types import Cosine


def welch_antipodal(num_lines: int, dim: int) -> Bound:
    """Return a lower bound on the maximum cosine of an antipodal code: `num_lines` pairs of points x and -x in R^n.

    For N > n lines, the largest absolute cosine c of two different lines satisfies c^2 >= (N-n) / (n (N-1)). For N >=
    n(n+1)/2 lines, it satisfies the stronger inequality c^2 >= (3N-n^2-2n) / ((n+2)(N-n)). The union of a Kerdock code
    and the standard basis attains the second bound. For N <= n the bound is 0.

    The bound does **not** hold for codes that are not antipodal: the simplex has a lower maximum cosine. The function
    `levenshtein` gives a bound for all codes.

    References: L. R. Welch, Lower bounds on the maximum cross correlation of signals (1974); V. I. Levenshtein, Bounds
    for packings of metric spaces and some of their applications (1983).

    Args:
        num_lines: Number N of lines, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the largest absolute cosine.

    Raises:
        InvalidArgumentError: If N is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> welch_antipodal(144, 16)  # half of the 288 points of Kerdock and basis
        Bound(value=1/4, theorem='welch_antipodal')
    """
    N = as_integer("num_lines", num_lines, minimum=2)
    n = as_integer("dim", dim, minimum=1)
    if n >= N:
        square = Fraction(0)
    elif n * (n + 1) >= 2 * N:
        square = Fraction(N - n, n * (N - 1))
    else:
        square = Fraction(3 * N - n * n - 2 * n, (n + 2) * (N - n))
    return Bound(root(square), "welch_antipodal")


def welch_mean_square(num_classes: int, dim: int) -> Bound:
    """Return the lower bound (K - n) / (n (K - 1)) on the mean squared cosine of K points in R^n.

    For K <= n the bound is 0. The mean is over all pairs of different points. For K >= n, tight frames attain the
    bound, and no other points do (J. Benedetto, M. Fickus, Finite normalized tight frames, 2003).

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the mean squared cosine.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> welch_mean_square(100, 64)
        Bound(value=1/176, theorem='welch_mean_square')
    """
    # Proof: the frame operator is an n x n matrix with trace K, and its squared norm is that of the Gram matrix.
    K, n = checked_size(num_classes, dim)
    return Bound(Fraction(max(0, K - n), n * (K - 1)), "welch_mean_square")


def root(square: Fraction | int) -> Cosine:
    """Return the square root of a rational number, as a Fraction if the root is rational, else as a float.

    Args:
        square: The number, at least 0.
    """
    over = isqrt(square.numerator)
    under = isqrt(square.denominator)
    if Fraction(over, under) ** 2 == square:
        return Fraction(over, under)
    return sqrt(square)
