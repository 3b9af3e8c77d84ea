"""The maximum cosine 0 of one-hot vectors, which are orthogonal and need one dimension per class."""

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
    """Return the maximum cosine 0 of K one-hot vectors in R^n, which exist if n is at least K.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least K.

    Returns:
        The maximum cosine that one-hot vectors attain.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.
        InfeasibleError: If n is smaller than K.

    Example:
        >>> one_hot(10, 16)
        Bound(value=0, theorem='one_hot')
    """
    del num_classes, dim
    return Bound(Fraction(0), "one_hot")
