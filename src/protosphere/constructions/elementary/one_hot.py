"""One-hot vectors, the targets of a usual classification layer."""

from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.constructions.limits import dim_infeasible_reason
from protosphere.constructions.registry import construction, orthogonal_or_antipodal
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.spherical.placement import Placement, dense_placement


@construction(
    infeasible_reason=partial(
        dim_infeasible_reason, "one_hot", "dim >= num_classes", lambda K: K
    ),
    guarantee=orthogonal_or_antipodal,
    summary="basis vectors, one dimension per class, with all cosines 0",
    reference="the naive baseline of Lindstrom et al. (2024), Figure 1 left",
    traits=Traits(
        closed_form=True,
        smallest_dim=lambda count: count,
        in_paper=True,
        page_formula=True,
        style=FigureStyle("one-hot", "#000000", "s", "none"),
    ),
)
def one_hot(num_classes: int, dim: int) -> Placement:
    """Place the K basis vectors e_1, ..., e_K of R^n; every cosine is 0.

    Args:
        num_classes: Number K of points.
        dim: Dimension n, at least K.
    """
    return dense_placement("basis vectors", np.eye(num_classes, dim), Fraction(1))
