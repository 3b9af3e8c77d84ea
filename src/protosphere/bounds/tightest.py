"""The best of all theorems: what certainly can be had, and what nothing can beat."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from protosphere.bounds.bound import Bound
from protosphere.bounds.coxeter_boroczky import LARGEST_DIM, SMALLEST_DIM, coxeter_boroczky
from protosphere.bounds.gilbert_varshamov import gilbert_varshamov
from protosphere.bounds.levenshtein import levenshtein
from protosphere.bounds.linear_programming import linear_programming as delsarte
from protosphere.bounds.one_hot import one_hot
from protosphere.bounds.rankin import rankin
from protosphere.errors import as_flag, as_integer


def achievable(num_classes: int, dim: int) -> Bound:
    """A max cosine that some arrangement certainly attains: Gilbert-Varshamov, or 0 by one-hot vectors if dim allows.

    Past four classes the Gilbert-Varshamov distance is at most dim / 2, so that one-hot vectors win wherever they
    exist. Raises `InfeasibleError` where 2**dim < num_classes.

    >>> achievable(100, 64), achievable(100, 128)
    (Bound(value=1/4, theorem='gilbert_varshamov'), Bound(value=0, theorem='one_hot'))
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    n = as_integer("dim", dim, minimum=1)
    if n >= K > 4:
        return one_hot(K, n)
    candidates = [gilbert_varshamov(K, n)]
    if n >= K:
        candidates.append(one_hot(K, n))
    return min(candidates, key=lambda bound: bound.value)


def converse(num_classes: int, dim: int, *, linear_programming: bool = False) -> Bound:
    """The max cosine below which no arrangement of `num_classes` points in `dim` dimensions comes.

    The largest of `rankin`, `levenshtein` (K > 2n), `coxeter_boroczky` (K > 2n, n = 3, ..., 8) and, if
    `linear_programming` asks for it, the numerical and slower bound of that name. Answers are remembered.

    >>> converse(1000, 128)
    Bound(value=0.0365871, theorem='levenshtein')
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    n = as_integer("dim", dim, minimum=1)
    return tightest(K, n, as_flag("linear_programming", linear_programming))


def paper_converse(num_classes: int, dim: int) -> Bound:
    """-1/(K-1) at every dimension: the converse drawn in the paper, true everywhere and tight for K <= n + 1.

    >>> paper_converse(100, 64)
    Bound(value=-1/99, theorem='rankin (as in the paper)')
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    as_integer("dim", dim, minimum=1)
    return Bound(Fraction(-1, K - 1), "rankin (as in the paper)")


@lru_cache(maxsize=4096)
def tightest(K: int, n: int, with_delsarte: bool) -> Bound:
    """`converse` for checked arguments."""
    if 2 * n >= K:
        return rankin(K, n)
    candidates = [rankin(K, n), levenshtein(K, n)]
    if SMALLEST_DIM <= n <= LARGEST_DIM:
        candidates.append(coxeter_boroczky(K, n))
    if with_delsarte:
        candidates.append(delsarte(K, n))
    return max(candidates, key=lambda bound: bound.value)
