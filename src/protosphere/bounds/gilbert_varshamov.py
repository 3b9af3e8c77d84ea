"""Gilbert-Varshamov bound on the minimum distance of binary linear codes, and on the maximum cosine of their points."""

from bisect import bisect_left
from fractions import Fraction
from math import log

from protosphere.bounds.binomial_tail import log_tail
from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound
from protosphere.bounds.singleton import checked_code_size
from protosphere.errors import InvalidArgumentError, brief

EXACT_REDUNDANCY = 4096  # up to here n - k bits are cheap enough to count in integers
LONGEST = (
    10**18
)  # past it one step of the tail is lost in the rounding of its logarithm
ROUNDING = 1e-14  # relative error of the logarithm, with room


def _infeasible_reason(K: int, n: int) -> str | None:
    k = (K - 1).bit_length()
    if k > n:
        return (
            f"{brief(K)} distinct binary prototypes need 'dim' of at least {k}, got {n}"
        )
    if n > LONGEST and k > 2 and n - k > EXACT_REDUNDANCY:
        return f"the Gilbert-Varshamov distance needs 'dim' of at most 10**18 for {brief(K)} classes, got {brief(n)}"
    return None


@bound(
    "Gilbert-Varshamov",
    kind="achievable",
    summary="1 - 2d/n, where some binary linear code of length n is proved to have distance d",
    reference="Gilbert (1952); Varshamov (1957); MacWilliams & Sloane, chapter 1, theorem 12",
    infeasible_reason=_infeasible_reason,
)
def gilbert_varshamov(num_classes: int, dim: int) -> Bound:
    """Return the Gilbert-Varshamov bound: some K points with entries +-1/sqrt(n) have at most this maximum cosine.

    The bound is 1 - 2 d / n, where d is the largest distance for which the Gilbert-Varshamov theorem proves that a
    binary linear code of length n, dimension k = ceil(log2 K) and minimum distance d exists. The theorem does not say
    how to find the points.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The bound, with the name of the theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.
        InfeasibleError: If 2**dim < num_classes. Also if all of these are true: n > 10**18, k > 2, and n - k > 4096.

    Example:
        >>> gilbert_varshamov(100, 64)
        Bound(value=1/4, theorem='gilbert_varshamov')
    """
    distance = gilbert_varshamov_distance(dim, (num_classes - 1).bit_length())
    return Bound(1 - Fraction(2 * distance, dim), "gilbert_varshamov")


def gilbert_varshamov_distance(length: int, dimension: int) -> int:
    """Return the largest minimum distance that the Gilbert-Varshamov bound proves for a binary linear code.

    Some code of length n and dimension k has at least this distance. It is the largest d with C(n-1, 0) + ... + C(n-1,
    d-2) < 2^(n-k), where the terms are binomial coefficients (MacWilliams and Sloane, The Theory of Error-Correcting
    Codes, chapter 1, theorem 12). If n - k exceeds 4096, the two sides are compared by their logarithms, and the
    smaller d is returned if they are equal up to rounding errors.

    Args:
        length: Length n of the code, at least 1.
        dimension: Dimension k of the code, from 1 to n.

    Returns:
        The distance d.

    Raises:
        InvalidArgumentError: If n or k is not an integer of at least 1. Also if all of these are true: n > 10**18, k >
            2, and n - k > 4096.
        InfeasibleError: If k is larger than n.

    Example:
        >>> gilbert_varshamov_distance(64, 7)
        24
    """
    n, k = checked_code_size(length, dimension)
    if k <= 2:  # the tail meets 1 and 1/2 exactly, by symmetry
        return n if k == 1 else (n + 1) // 2
    if n - k <= EXACT_REDUNDANCY:
        return counted_distance(n, k)
    if n > LONGEST:
        raise InvalidArgumentError(
            f"'length' must be at most 10**18 for dimension {k}, got {brief(n)}"
        )
    return tail_distance(n, k)


def counted_distance(n: int, k: int) -> int:
    """Return the largest d with C(n-1, 0) + ... + C(n-1, d-2) < 2^(n-k), the Gilbert-Varshamov distance.

    The terms C(n-1, i) are binomial coefficients. Their sum is computed exactly, in integers.

    Args:
        n: Length of the code, at least k.
        k: Dimension of the code, at least 1.
    """
    room = 1 << (n - k)
    distance = 1
    covered = 0
    binomial = 1
    while covered + binomial < room:
        covered += binomial
        binomial = binomial * (n - distance) // distance
        distance += 1
    return distance


def tail_distance(n: int, k: int) -> int:
    """Return the largest d with C(n-1, 0) + ... + C(n-1, d-2) < 2^(n-k), computed with logarithms.

    The terms C(n-1, i) are binomial coefficients. The result is the Gilbert-Varshamov distance. If the two sides are
    equal up to rounding errors, the smaller d is returned.

    Args:
        n: Length of the code, at most 10^18.
        k: Dimension of the code, at least 2.
    """
    # the condition is equivalent to P(X <= d-2) < 2^(1-k) for X ~ Binomial(n-1, 1/2)
    limit = (1 - k) * log(2) * (1 + ROUNDING) - ROUNDING
    return 1 + bisect_left(
        range(n // 2), True, key=lambda x: log_tail(x, n - 1) >= limit
    )
