"""The regular simplex of K points in R^n, n >= K - 1: no code of K points has a lower maximum cosine."""

from fractions import Fraction
from functools import partial

from protosphere.constructions.limits import dim_infeasible_reason
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import padded
from protosphere.spherical.placement import Placement, dense_placement


def _guarantee(num_classes: int, dim: int) -> Fraction:
    del dim
    return Fraction(-1, num_classes - 1)


@construction(
    infeasible_reason=partial(
        dim_infeasible_reason, "simplex", "dim >= num_classes - 1", lambda K: K - 1
    ),
    guarantee=_guarantee,
    summary="regular simplex with all cosines -1/(K-1), the optimum for n >= K-1",
    reference="Rankin (1955); as prototypes Kasarla et al. (2022)",
    traits=Traits(
        closed_form=True,
        quick_guarantee=True,
        smallest_dim=lambda count: count - 1,
        in_paper=True,
        page_formula=True,
        style=FigureStyle("simplex (Kasarla et al.)", "#D55E00", "*", "none", size=12),
    ),
)
def simplex(num_classes: int, dim: int) -> Placement:
    """Place the K vertices of the regular simplex, padded with zeros to R^n; every cosine is -1/(K-1).

    Args:
        num_classes: Number K of points.
        dim: Dimension n, at least K - 1.
    """
    points = padded(simplex_points(num_classes), dim)
    return dense_placement(
        "regular simplex", points, Fraction(num_classes, num_classes - 1)
    )
