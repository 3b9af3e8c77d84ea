"""One-hot vectors, which the usual classification layer amounts to."""

from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.constructions.limits import dim_infeasible_reason
from protosphere.constructions.registry import construction, orthogonal_or_opposed
from protosphere.spherical.placement import Placement, dense_placement


@construction(
    infeasible_reason=partial(
        dim_infeasible_reason, "one_hot", "dim >= num_classes", lambda K: K
    ),
    guarantee=orthogonal_or_opposed,
    summary="canonical basis vectors: orthogonal, one dimension per class",
    reference="the naive baseline of Lindstrom et al. (2024), Figure 1 left",
    closed_form=True,
)
def one_hot(num_classes: int, dim: int) -> Placement:
    """e_1, ..., e_K, padded with zeros to R^n: every cosine is 0."""
    return dense_placement("basis vectors", np.eye(num_classes, dim), Fraction(1))
