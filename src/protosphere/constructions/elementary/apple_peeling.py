"""Points in parallel layers of a sphere, for any number of points in three to seven dimensions.

A layer consists of the points of the sphere that have the same angle from a pole. This angle is the polar angle of the
layer. Each layer is a sphere of one dimension less, on which points are placed by the same method.
"""

from functools import lru_cache
from math import asin, cos, pi, sin

import numpy as np

from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import brief
from protosphere.geometry.closest_pair import DEEPEST
from protosphere.geometry.sphere import normalized
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import LayeredPoints
from protosphere.types import Points

MOST_POINTS = 10**7
ALONE = 2 * pi
"""Angle that stands for a layer with only one point; no two points of a sphere are so far apart."""
HALVINGS = 40
"""Number of bisection steps, which determine the largest angle to twelve digits."""


def latitudes(angle: float) -> Points:
    """Return the polar angles of parallel layers of a sphere, in radians.

    A layer consists of the points of the sphere that have the same angle from a pole, its polar angle. The polar angles
    of neighboring layers differ by `angle`. There are as many layers as fit between the poles, and they are symmetric
    about the equator.

    Args:
        angle: Difference of the polar angles of neighboring layers, in radians.
    """
    count = int(pi / angle + 1e-13) + 1
    return pi / 2 + angle * (np.arange(count, dtype=np.float64) - (count - 1) / 2)


def inner_angle(angle: float, latitude: float) -> float:
    """Return the angle between two points of a layer as seen from the center of the layer, in radians.

    A layer consists of the points of the sphere that have the same angle from a pole, its polar angle. If the layer is
    too small for two points at the given angle, the result is 2 pi.

    Args:
        angle: Angle between the two points, as seen from the center of the whole sphere, in radians.
        latitude: Polar angle of the layer in radians.
    """
    ratio = sin(angle / 2) / max(sin(latitude), 1e-12)
    return 2 * asin(ratio) if ratio < 1 else ALONE


def peeled_size(dim: int, angle: float) -> int:
    """Return the number of points that are placed in parallel layers of a sphere with a given minimum angle.

    A layer consists of the points of the sphere that have the same angle from a pole. It is a sphere in R^(n-1), on
    which points are placed by the same method.

    Args:
        dim: Dimension n, at least 2. In two dimensions, the points are placed on a circle.
        angle: Minimum angle between two points, in radians.
    """
    if angle > pi:
        return 1
    if dim == 2:
        return max(1, int(2 * pi / angle + 1e-13))
    layers = latitudes(angle)
    if dim == 3:
        ratio = np.sin(angle / 2) / np.maximum(np.sin(layers), 1e-12)
        held = np.floor(pi / np.arcsin(np.minimum(ratio, 1.0)) + 1e-13)
        return int(np.where(ratio < 1, held, 1).sum())
    half = len(layers) // 2
    north = sum(
        peeled_size(dim - 1, inner_angle(angle, layer)) for layer in layers[:half]
    )
    if len(layers) % 2:
        middle = peeled_size(dim - 1, inner_angle(angle, layers[half]))
    else:
        middle = 0
    return 2 * north + middle


@lru_cache(maxsize=256)
def peeled_angle(num_classes: int, dim: int) -> float:
    """Return the largest angle for which K points at this minimum angle fit in parallel layers of a sphere, in radians.

    A layer consists of the points of the sphere that have the same angle from a pole. It is a sphere in R^(n-1), on
    which points are placed by the same method. The angle is found by bisection.

    Args:
        num_classes: Number K of points.
        dim: Dimension n, at least 2.
    """
    low = 1e-9
    high = pi
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if peeled_size(dim, middle) >= num_classes:
            low = middle
        else:
            high = middle
    return low


def peeled_points(dim: int, angle: float) -> Points:
    """Return unit vectors in parallel layers of the unit sphere, with a given minimum angle, as rows.

    A layer consists of the points of the sphere that have the same angle from a pole. It is a sphere in R^(n-1), on
    which points are placed by the same method. The points are sorted by layer, from one pole to the other.

    Args:
        dim: Dimension n, at least 2. In two dimensions, the points are placed on a circle.
        angle: Minimum angle between two points, in radians.
    """
    if angle > pi:
        return np.eye(1, dim)
    if dim == 2:
        turns = 2 * pi * np.arange(peeled_size(2, angle)) / peeled_size(2, angle)
        return np.stack([np.cos(turns), np.sin(turns)], axis=1)
    layers: list[Points] = []
    for layer in latitudes(angle):
        inner = peeled_points(dim - 1, inner_angle(angle, layer))
        layers.append(
            np.hstack([sin(layer) * inner, np.full((len(inner), 1), cos(layer))])
        )
    return np.vstack(layers)


def _infeasible_reason(num_classes: int, dim: int) -> str | None:
    if not 3 <= dim <= DEEPEST:
        return f"'apple_peeling' needs dim 3 to {DEEPEST}, got {brief(dim)}; nearest: {3 if dim < 3 else DEEPEST}"
    if num_classes > MOST_POINTS:
        return f"'apple_peeling' places up to {MOST_POINTS} points, got num_classes {brief(num_classes)}"
    return None


def _guarantee(num_classes: int, dim: int) -> float:
    return cos(peeled_angle(num_classes, dim))


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=_guarantee,
    summary="points on layers of equal latitude, for any K in 3 to 7 dimensions",
    reference="El Gamal, Hemachandra, Shperling & Wei (1987), Using simulated annealing to design good codes",
    traits=Traits(quick_guarantee=True, page_formula=True, page_points=True),
)
def apple_peeling(num_classes: int, dim: int) -> Placement:
    """Place points in parallel layers of the sphere.

    A layer consists of the points of the sphere that have the same angle from a pole. It is a sphere in R^(n-1), on
    which points are placed by the same method. The minimum angle between points is the largest at which at least K
    points fit. If more than K points fit, the first K of them are taken, layer after layer from one pole.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
    """
    angle = peeled_angle(num_classes, dim)
    points = normalized(peeled_points(dim, angle)[:num_classes])
    description = f"layers {np.degrees(angle):.4g} degrees apart"
    return Placement(description, LayeredPoints(points, angle=angle))
