"""The cross-polytope: two antipodal points on each axis, so that all angles are at least 90 degrees."""

from fractions import Fraction
from functools import partial

from protosphere.constructions.limits import dim_infeasible_reason
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.geometry.sphere import cross_polytope_points
from protosphere.spherical.placement import Placement, dense_placement


def _guarantee(num_classes: int, dim: int) -> Fraction:
    del dim
    return Fraction(0 if num_classes > 2 else -1)


@construction(
    infeasible_reason=partial(
        dim_infeasible_reason,
        "cross_polytope",
        "dim >= num_classes / 2",
        lambda K: -(-K // 2),
    ),
    guarantee=_guarantee,
    summary="the points +e_i and -e_i, with max cosine 0 for n >= K/2, the optimum for n+2 <= K <= 2n",
    reference="Rankin (1955), The closest packing of spherical caps in n dimensions",
    traits=Traits(
        closed_form=True,
        quick_guarantee=True,
        smallest_dim=lambda count: -(-count // 2),
        in_paper=True,
        page_formula=True,
        style=FigureStyle("cross-polytope", "#CC79A7", "D", "none"),
    ),
)
def cross_polytope(num_classes: int, dim: int) -> Placement:
    """Place the first K of the points e_1, -e_1, e_2, -e_2, ..., where e_1, e_2, ... is the standard basis of R^n.

    The classes are counted from 0. Classes 2i and 2i+1 are antipodal, and all other pairs of classes are orthogonal.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
    """
    return dense_placement(
        "cross-polytope", cross_polytope_points(num_classes, dim), Fraction(1)
    )
