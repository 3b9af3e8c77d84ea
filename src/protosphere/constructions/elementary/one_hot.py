"""One-hot vectors, which the usual classification layer amounts to."""

from fractions import Fraction

import numpy as np

from protosphere.code.placement import Placement
from protosphere.code.structures import Plain
from protosphere.constructions.registry import construction
from protosphere.errors import brief


def _obstacle(num_classes: int, dim: int) -> str | None:
    if dim >= num_classes:
        return None
    classes = brief(num_classes)
    return f"'one_hot' needs dim >= num_classes, got dim {brief(dim)} for {classes} classes; nearest: {classes}"


def _guarantee(num_classes: int, dim: int) -> Fraction:
    del num_classes, dim
    return Fraction(0)


@construction(
    obstacle=_obstacle,
    guarantee=_guarantee,
    summary="canonical basis vectors: orthogonal, one dimension per class",
    reference="the naive baseline of Lindstrom et al. (2024), Figure 1 left",
    closed_form=True,
)
def one_hot(num_classes: int, dim: int) -> Placement:
    """e_1, ..., e_K, padded with zeros to R^n: every cosine is 0."""
    return Placement("basis vectors", Plain(np.eye(num_classes, dim), Fraction(1)))
