"""Codes that consist of regular simplices in orthogonal subspaces.

For K from n + 2 to 2n, the lowest possible maximum cosine of K points in R^n is 0. Of all codes with this maximum
cosine, the code of this module has the lowest frame potential, the mean squared cosine.
"""

import numpy as np

from protosphere.constructions.registry import construction, orthogonal_or_antipodal
from protosphere.constructions.traits import Traits
from protosphere.errors import brief
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import OrthogonalSimplices
from protosphere.types import Indices


def block_sizes(num_classes: int, dim: int) -> Indices:
    """Return the sizes of K - n simplices with K points in total, in descending order.

    The size of a simplex is its number of points. A simplex of size s spans s - 1 dimensions, so the simplices span n
    dimensions together. Any two of the sizes differ by at most one.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.

    >>> block_sizes(10, 7)
    array([4, 3, 3])
    """
    blocks = num_classes - dim
    return (num_classes + np.arange(blocks)[::-1]) // blocks


def _infeasible_reason(num_classes: int, dim: int) -> str | None:
    got = f"got dim {brief(dim)} for {brief(num_classes)} classes"
    if num_classes < 4:
        return f"'orthogonal_simplices' needs num_classes >= 4, {got}; 'simplex' holds them"
    least = -(-num_classes // 2)
    most = num_classes - 2
    if least <= dim <= most:
        return None
    rule = "'orthogonal_simplices' needs num_classes / 2 <= dim <= num_classes - 2"
    instead = "; nearest: " + brief(least if dim < least else most)
    return f"{rule}, {got}{instead}" + ("; 'simplex' holds them" if dim > most else "")


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=orthogonal_or_antipodal,
    summary="K - n regular simplices of nearly equal size in orthogonal subspaces, with the optimal max cosine 0",
    reference="Rankin (1955); Kuperberg (2007), on congruent balls in a spherical container, for all optimal codes",
    traits=Traits(
        closed_form=True,
        numbered=True,
        quick_guarantee=True,
        low_frame_potential=True,
        page_formula=True,
    ),
)
def orthogonal_simplices(num_classes: int, dim: int) -> Placement:
    """Place K points as K - n regular simplices in orthogonal subspaces of R^n.

    Any two of the simplices differ by at most one in their number of points. Every code of n + 2 to 2n points with the
    lowest possible maximum cosine, 0, contains at least K - n simplices in orthogonal subspaces. Of these codes, the
    one with regular simplices of nearly equal size has the lowest frame potential (mean squared cosine). For example,
    100 points in R^64 are 28 triangles and 8 antipodal pairs, whereas a cross-polytope has 50 antipodal pairs on 50
    axes. For K = 2n the result is the cross-polytope.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
    """
    sizes = block_sizes(num_classes, dim)
    span = str(sizes[0]) if sizes[0] == sizes[-1] else f"{sizes[-1]} or {sizes[0]}"
    description = f"{len(sizes)} orthogonal simplices of {span} points"
    return Placement(
        description, OrthogonalSimplices(sizes, np.arange(num_classes), dim)
    )
