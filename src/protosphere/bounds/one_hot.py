"""One-hot vectors: the oldest prototypes, orthogonal wherever there is a dimension for every class."""

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound
from protosphere.errors import brief


def _infeasible_reason(K: int, n: int) -> str | None:
    if n < K:
        return f"one-hot vectors need 'dim' of at least num_classes = {brief(K)}, got {brief(n)}"
    return None


@bound(
    "one-hot",
    kind="achievable",
    summary="0 for n >= K, by one-hot vectors",
    reference="Lindstrom et al. (2024), after theorem 3.5",
    infeasible_reason=_infeasible_reason,
)
def one_hot(num_classes: int, dim: int) -> Bound:
    """The max cosine 0 of one-hot vectors, which exist as soon as `dim` is at least `num_classes`.

    >>> one_hot(10, 16)
    Bound(value=0, theorem='one_hot')
    """
    del num_classes, dim
    return Bound(Fraction(0), "one_hot")
