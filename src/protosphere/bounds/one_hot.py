"""One-hot vectors: the oldest prototypes, orthogonal wherever there is a dimension for every class."""

from __future__ import annotations

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.errors import InfeasibleError, as_integer, brief


def one_hot(num_classes: int, dim: int) -> Bound:
    """The max cosine 0 of one-hot vectors, which exist as soon as `dim` is at least `num_classes`.

    >>> one_hot(10, 16)
    Bound(value=0, theorem='one_hot')
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    n = as_integer("dim", dim, minimum=1)
    if n < K:
        raise InfeasibleError(f"one-hot vectors need 'dim' of at least num_classes = {brief(K)}, got {brief(n)}")
    return Bound(Fraction(0), "one_hot")
