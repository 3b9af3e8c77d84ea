"""Converse as drawn in the paper: Rankin's bound for K <= n + 1 points, used for every number of points."""

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound


@bound(
    "converse of the paper",
    kind="converse",
    summary="-1/(K-1) at every dimension, as the paper draws it; tight only for K <= n + 1",
    reference="Lindstrom et al. (2024), after Rankin (1955)",
    superseded=True,  # by Rankin's bound with its two cases
)
def paper_converse(num_classes: int, dim: int) -> Bound:
    """Return the lower bound -1/(K-1), which is valid for every K and n but attained only for K <= n + 1.

    The figures of the paper show it at every dimension; `rankin` and `levenshtein` are stronger.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the maximum cosine, with its theorem.

    Raises:
        InvalidArgumentError: If K or n is not an integer in this range.

    Example:
        >>> paper_converse(100, 64)
        Bound(value=-1/99, theorem='rankin (as in the paper)')
    """
    del dim
    return Bound(Fraction(-1, num_classes - 1), "rankin (as in the paper)")
