"""Points in clusters, which are badly separated on purpose, to measure the effect of separation on accuracy.

A cluster is a set of points around a unit vector, the center of the cluster. A direction is a unit vector orthogonal to
the center, along which a point of the cluster is moved away from the center.
"""

from __future__ import annotations

from math import isqrt, sqrt

import numpy as np

from protosphere.constructions.construct import best
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, as_integer, as_positive, brief
from protosphere.geometry.sphere import normalized
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Points, Progress, ignore

LINE_POINTS = 2
"""Largest number of points of a cluster in two dimensions: the directions from a center are +1 and -1."""


def default_clusters(num_classes: int) -> int:
    """Return the default number of clusters of K points: the integer nearest to the square root of K.

    >>> [default_clusters(K) for K in (2, 6, 7, 100, 512)]
    [1, 2, 3, 10, 23]
    """
    root = isqrt(num_classes)
    return root + (num_classes > root * (root + 1))


def cluster_sizes(num_classes: int, num_clusters: int) -> list[int]:
    """Return the number of points of each cluster, in descending order.

    Any two of these numbers differ by at most one.

    Args:
        num_classes: Number K of points.
        num_clusters: Number of clusters.

    >>> cluster_sizes(10, 4)
    [3, 3, 2, 2]
    """
    size, larger = divmod(num_classes, num_clusters)
    return [size + 1] * larger + [size] * (num_clusters - larger)


def _checked_clusters(num_classes: int, clusters: int | None) -> int:
    if clusters is None:
        return default_clusters(num_classes)
    number = as_integer("clusters", clusters, minimum=1)
    if number > num_classes:
        raise InvalidArgumentError(
            f"'clusters' must be at most num_classes {brief(num_classes)}, got {brief(number)}"
        )
    return number


def _infeasible_reason(
    num_classes: int, dim: int, *, clusters: int | None, spread: object
) -> str | None:
    number = _checked_clusters(num_classes, clusters)
    if as_positive("spread", spread) > 1:
        raise InvalidArgumentError(
            f"'spread' must be above 0 and at most 1, got {brief(spread)}"
        )
    if dim < 2:
        return f"'clusters' needs dim >= 2, got {brief(dim)}; nearest: 2"
    if dim == 2 and num_classes > LINE_POINTS * number:
        enough = -(-num_classes // LINE_POINTS)
        return (
            f"'clusters' in dim 2 has at most 2 points a cluster, got {brief(num_classes)} classes in "
            f"{brief(number)} clusters; dim 3 works, or clusters={brief(enough)}"
        )
    return None


@construction(
    infeasible_reason=_infeasible_reason,
    summary="clusters of nearby points around well separated centers, badly separated on purpose",
    reference="ours",
    # the codes that centers and directions are taken from may be better in a later version
    traits=Traits(stochastic=True, searched=True, on_page=False),
)
def clusters(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    clusters: int | None = None,
    spread: float = 0.35,
) -> Placement:
    """Place the points in clusters around well separated centers.

    Each point is sqrt(1 - spread^2) * center + spread * direction, where the direction is a unit vector orthogonal to
    the center. The centers are the code that has the lowest maximum cosine of all codes that are known without a
    search. The directions of a cluster of s points are made from the code of s points in n - 1 dimensions that has the
    lowest maximum cosine of all codes that are known without a search. This code is turned by a random orthogonal map.
    The points of a cluster have consecutive indices.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        rng: Random generator of the orthogonal maps.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, once
            for each cluster.
        clusters: Number of clusters. None means the integer nearest to sqrt(K).
        spread: Distance of each point from the line through the origin and the center of its cluster, above 0 and at
            most 1.
    """
    sizes = cluster_sizes(num_classes, _checked_clusters(num_classes, clusters))
    centers = _known_code(len(sizes), dim, progress)
    codes = {size: _known_code(size, dim - 1, progress) for size in set(sizes)}
    toward_center = sqrt((1 - spread) * (1 + spread))
    points = np.empty((num_classes, dim))
    start = 0
    for number, (center, size) in enumerate(zip(centers, sizes, strict=True)):
        progress("placing clusters", number, len(sizes))
        directions = tangent_vectors(center, _randomly_rotated(codes[size], rng))
        points[start : start + size] = toward_center * center + spread * directions
        start += size
    listed = " or ".join(map(str, sorted(set(sizes))))
    return dense_placement(
        f"number of clusters {len(sizes)}, points in each {listed}, spread {spread:g}",
        normalized(points),
    )


def _known_code(num_points: int, dim: int, progress: Progress) -> Points:
    if num_points == 1:
        return np.eye(1, dim)
    # with 0 iterations, there is no search
    return best(num_points, dim, iterations=0, progress=progress).points


def _randomly_rotated(points: Points, rng: np.random.Generator) -> Points:
    # no random numbers are drawn for coordinates that are 0 in every point, which do not affect the result
    used = points[:, points.any(axis=0)]
    gaussian = rng.standard_normal((points.shape[1], used.shape[1]))
    frame, triangle = np.linalg.qr(gaussian)
    signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return used @ (frame * signs).T


def tangent_vectors(center: Points, vectors: Points) -> Points:
    """Return the images of vectors of R^(n-1) under a linear map to the vectors of R^n that are orthogonal to `center`.

    The map preserves norms and cosines.

    Args:
        center: Unit vector of R^n.
        vectors: Vectors of R^(n-1), as rows.

    Returns:
        Vectors of R^n, as rows.
    """
    # the reflection maps the first basis vector to the center or its negative
    mirror = center.copy()
    mirror[0] += 1.0 if center[0] >= 0 else -1.0  # never a difference of near numbers
    mirror /= np.linalg.norm(mirror)
    lifted = np.pad(vectors, ((0, 0), (1, 0)))
    return lifted - 2 * np.outer(lifted @ mirror, mirror)
