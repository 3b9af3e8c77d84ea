"""The converse as the paper draws it: Rankin's for few points, at every dimension."""

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound


@bound(
    "converse of the paper",
    kind="converse",
    summary="-1/(K-1) at every dimension, as the paper draws it; tight only for K <= n + 1",
    reference="Lindstrom et al. (2024), after Rankin (1955)",
)
def paper_converse(num_classes: int, dim: int) -> Bound:
    """-1/(K-1) at every dimension: the converse drawn in the paper, true everywhere and tight for K <= n + 1.

    >>> paper_converse(100, 64)
    Bound(value=-1/99, theorem='rankin (as in the paper)')
    """
    del dim
    return Bound(Fraction(-1, num_classes - 1), "rankin (as in the paper)")
