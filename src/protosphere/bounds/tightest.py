"""The best of all theorems: what certainly can be had, and what nothing can beat."""

from functools import lru_cache

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import BOUNDS, checked_size
from protosphere.errors import InfeasibleError, as_flag


def achievable(num_classes: int, dim: int) -> Bound:
    """A max cosine that some arrangement certainly attains: the lowest of the achievable bounds of `BOUNDS`.

    Raises `InfeasibleError` where none of them speaks of K and n: where 2**dim < num_classes.

    >>> achievable(100, 64), achievable(100, 128)
    (Bound(value=1/4, theorem='gilbert_varshamov'), Bound(value=0, theorem='one_hot'))
    """
    found = applicable("achievable", *checked_size(num_classes, dim), numerical=False)
    return min(found, key=lambda bound: bound.value)


def converse(num_classes: int, dim: int, *, linear_programming: bool = False) -> Bound:
    """The max cosine below which no arrangement of `num_classes` points in `dim` dimensions comes.

    The highest of the converse bounds of `BOUNDS`, the slow, numerical one only if asked for. Answers are remembered.

    >>> converse(1000, 128)
    Bound(value=0.0365871, theorem='levenshtein')
    """
    return _tightest(
        *checked_size(num_classes, dim),
        as_flag("linear_programming", linear_programming),
    )


def applicable(kind: str, K: int, n: int, *, numerical: bool) -> list[Bound]:
    """The bounds of one kind that speak of K and n; InfeasibleError says why where there are none."""
    chosen = [
        bound
        for bound in BOUNDS.values()
        if bound.kind == kind and numerical >= bound.numerical
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
