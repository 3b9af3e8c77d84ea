"""Rankin's two bounds: no code is better than a simplex, and past n + 1 points none is below a right angle."""

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound


@bound(
    "Rankin",
    kind="converse",
    summary="-1/(K-1) for K <= n + 1, then 0: sharp for K <= 2n",
    reference="Rankin (1955), The closest packing of spherical caps in n dimensions",
)
def rankin(num_classes: int, dim: int) -> Bound:
    """The least max cosine that Rankin's theorem leaves to `num_classes` points in `dim` dimensions.

    K <= n + 1 points have max cosine at least -1/(K-1), which the simplex attains; K >= n + 2 points have max
    cosine at least 0, which the cross-polytope attains up to K = 2n. Past 2n `levenshtein` is stronger.

    >>> rankin(100, 128)
    Bound(value=-1/99, theorem='rankin_simplex')
    >>> rankin(100, 64)
    Bound(value=0, theorem='rankin_orthoplex')
    """
    if dim + 1 >= num_classes:
        return Bound(Fraction(-1, num_classes - 1), "rankin_simplex")
    return Bound(Fraction(0), "rankin_orthoplex")
