"""Tightest bounds over all registered theorems: the lowest achievable bound and the highest converse."""

from functools import lru_cache

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import BOUNDS, checked_size
from protosphere.errors import InfeasibleError, as_flag


def achievable(num_classes: int, dim: int) -> Bound:
    """Return the lowest achievable bound on the maximum cosine of K points in R^n.

    Some set of K points in R^n is proved to have at most this maximum cosine. All bounds in `BOUNDS` of the kind
    'achievable' are compared.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lowest achievable bound, with its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.
        InfeasibleError: If no theorem applies to K and n, for example because 2**dim < num_classes.

    Example:
        >>> achievable(100, 64), achievable(100, 128)
        (Bound(value=1/4, theorem='gilbert_varshamov'), Bound(value=0, theorem='one_hot'))
    """
    found = applicable("achievable", *checked_size(num_classes, dim), numerical=False)
    return min(found, key=lambda bound: bound.value)


def converse(num_classes: int, dim: int, *, linear_programming: bool = False) -> Bound:
    """Return the highest converse bound on the maximum cosine of K points in R^n.

    No set of K points in R^n has a lower maximum cosine. All proved bounds in `BOUNDS` of the kind 'converse' are
    compared.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.
        linear_programming: If True, the bound of linear programming is compared too, which is slow and not proved. If
            False, all compared bounds are proved.

    Returns:
        The highest converse bound, with its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> converse(1000, 128)
        Bound(value=0.0365871, theorem='levenshtein')
    """
    return _tightest(
        *checked_size(num_classes, dim),
        as_flag("linear_programming", linear_programming),
    )


def applicable(kind: str, K: int, n: int, *, numerical: bool) -> list[Bound]:
    """Return the bounds of one kind that apply to K points in R^n.

    A bound is left out if another bound of this kind is at least as tight for all K and n.

    Args:
        kind: 'converse' (a lower bound on the maximum cosine of any points) or 'achievable' (an upper bound on the
            lowest maximum cosine that K points in R^n can have).
        K: Number of points.
        n: Dimension.
        numerical: If True, numerical bounds, which are slow and not proved, are returned together with the proved
            bounds. If False, only proved bounds are returned.

    Raises:
        InfeasibleError: If no bound applies to K and n. The message gives the reasons.
    """
    chosen = [
        bound
        for bound in BOUNDS.values()
        if bound.kind == kind and not bound.superseded and numerical >= bound.numerical
    ]
    reasons = [bound.infeasible_reason(K, n) for bound in chosen]
    if all(reasons):
        raise InfeasibleError("; ".join(filter(None, reasons)))
    return [
        bound.function(K, n)
        for bound, why_not in zip(chosen, reasons, strict=True)
        if why_not is None
    ]


@lru_cache(maxsize=4096)
def _tightest(K: int, n: int, numerical: bool) -> Bound:
    return max(
        applicable("converse", K, n, numerical=numerical), key=lambda bound: bound.value
    )
