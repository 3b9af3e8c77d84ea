"""The bound -1/(K-1) of Lindström et al. (2024), a lower bound on the maximum cosine of K points in any dimension."""

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound


@bound(
    "converse of the paper",
    kind="converse",
    summary="-1/(K-1) at every dimension, as Lindström et al. (2024) draw it; attained only for K <= n + 1",
    reference="Lindstrom et al. (2024), after Rankin (1955)",
    superseded=True,  # by Rankin's bound with its two cases
)
def paper_converse(num_classes: int, dim: int) -> Bound:
    """Return -1/(K-1), a lower bound on the maximum cosine that is valid for all K and n.

    The figures of Lindström et al. (2024) show this bound at every dimension. Some K points attain the bound if K <= n
    + 1, and no K points do otherwise. For larger K, `rankin` and `levenshtein` give higher bounds.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the maximum cosine, with its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> paper_converse(100, 64)
        Bound(value=-1/99, theorem='rankin (as in the paper)')
    """
    del dim
    return Bound(Fraction(-1, num_classes - 1), "rankin (as in the paper)")
