"""Codes that consist of orthonormal bases: the standard basis, and random rotations of it by a chosen angle."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, as_positive, brief
from protosphere.geometry.sphere import normalized
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Points, Progress, ignore

LARGEST_DIM = 4096
"""Largest dimension n. For larger n, the exponential of a single n x n matrix takes minutes."""


def _infeasible_reason(num_classes: int, dim: int, *, spread: object) -> str | None:
    if as_positive("spread", spread) > pi:
        raise InvalidArgumentError(
            f"'spread' must be an angle in radians above 0 and at most pi, got {brief(spread)}"
        )
    if dim < 2:
        return f"'rotated_bases' needs dim >= 2, got {brief(dim)}; nearest: 2"
    if num_classes < dim:
        got = f"got {brief(dim)} for {brief(num_classes)} classes"
        return f"'rotated_bases' needs dim <= num_classes, {got}; nearest: {brief(num_classes)}"
    if dim > LARGEST_DIM:
        return f"'rotated_bases' needs dim <= {LARGEST_DIM}, got {brief(dim)}; nearest: {LARGEST_DIM}"
    return None


@construction(
    infeasible_reason=_infeasible_reason,
    summary="the standard basis and random rotations of it by a chosen angle, a tight frame if K is a multiple of n",
    reference="Benedetto & Fickus (2003), Finite normalized tight frames, for the frame potential",
    # exponentials of matrices are rounded differently by different machines
    traits=Traits(stochastic=True, searched=True, on_page=False),
)
def rotated_bases(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    spread: float = 0.2,
) -> Placement:
    """Place the standard basis and independent random rotations of it, and keep the first K vectors of these bases.

    There are ceil(K / n) bases. A rotation is the exponential of a random skew-symmetric matrix. It turns each vector
    by about `spread` radians, so the i-th vectors of all bases form a cluster. If K is a multiple of n, the points are
    a tight frame for every `spread`: the squared dot products of any unit vector with all points have the sum K / n.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        rng: Random generator of the rotations.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, once
            for each rotated basis.
        spread: Angle of the rotations in radians, above 0 and at most pi.
    """
    count = -(-num_classes // dim)
    points = np.empty((count * dim, dim))
    points[:dim] = np.eye(dim)
    for number in range(1, count):
        progress("rotating bases", number, count)
        rows = slice(number * dim, (number + 1) * dim)
        points[rows] = random_rotation(dim, spread, rng)
    return dense_placement(
        f"number of orthonormal bases {count}, spread {spread:g} radians",
        normalized(points[:num_classes]),
    )


def random_rotation(dim: int, angle: float, rng: np.random.Generator) -> Points:
    """Return a random rotation by about a given angle: the exponential of a random skew-symmetric matrix.

    The entries of the matrix are normal with variance angle^2 / (n - 1), so that the mean square of the norms of its
    rows is angle^2. If the angle is small, each vector is turned by about this angle.

    Args:
        dim: Dimension n, at least 2.
        angle: Angle in radians.
        rng: Random generator of the skew-symmetric matrix.

    Returns:
        Orthogonal n x n matrix with determinant 1.
    """
    from scipy.linalg import expm

    upper = np.triu(rng.standard_normal((dim, dim)), 1)
    return expm((upper - upper.T) * (angle / sqrt(dim - 1)))
