"""Rankin's two bounds: K points have maximum cosine at least -1/(K-1), and at least 0 if there are more than n + 1."""

from fractions import Fraction

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound


@bound(
    "Rankin",
    kind="converse",
    summary="-1/(K-1) for K <= n + 1 and 0 for larger K; attained for K <= 2n",
    reference="Rankin (1955), The closest packing of spherical caps in n dimensions",
)
def rankin(num_classes: int, dim: int) -> Bound:
    """Return a lower bound on the maximum cosine of K points in R^n by Rankin's theorem.

    - If K <= n + 1, the maximum cosine is at least -1/(K-1), which the simplex attains.
    - If K >= n + 2, the maximum cosine is at least 0, which the cross-polytope attains up to K = 2n. For K > 2n,
      `levenshtein` gives a higher bound.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the maximum cosine, with the name of the theorem that proves it: 'rankin_simplex' or
        'rankin_orthoplex'.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.

    Example:
        >>> rankin(100, 128)
        Bound(value=-1/99, theorem='rankin_simplex')
        >>> rankin(100, 64)
        Bound(value=0, theorem='rankin_orthoplex')
    """
    if dim + 1 >= num_classes:
        return Bound(Fraction(-1, num_classes - 1), "rankin_simplex")
    return Bound(Fraction(0), "rankin_orthoplex")
