"""Initial points of descents: random points, resized codes, or good codes with some points moved.

A hole of a code is a place on the sphere that is far from all points of the code. Points are crowded if they have many
near neighbors.
"""

import numpy as np

from protosphere.geometry.sphere import (
    cross_polytope_points,
    normalized,
    padded,
    uniform_points,
)
from protosphere.types import Points

DEFAULT_INITIALIZATIONS = ("random", "symmetric", "refilled")
"""Names of the initializations from which a search draws its starts by default."""

INITIALIZATIONS = (*DEFAULT_INITIALIZATIONS, "parent")
"""Names of all initializations from which a search may draw its starts.

"random" is random points, "symmetric" is the orbits of a random group, and "refilled" is a good code some points of
which are moved into holes. "parent" begins with a symmetric code of K to 1.25 K points. After a descent, crowded points
are removed, and the next descent ignores the symmetry. A `SearchResult` may also have one of three other
initializations: "given" for a code that the caller gave, "catalogue" for a code of the catalogue of earlier searches,
and "exact" for an optimal code in closed form.
"""

CROWDING_RATE = 50.0
"""Rate of crowding.

The crowding of a point is the sum of exp(CROWDING_RATE (c - 1)) over its cosines c with the other points.
"""

MIN_HOLE_CANDIDATES = 200
MAX_HOLE_CANDIDATES = 2000

HOLE_CANDIDATES_PER_POINT = 5
"""Number of random positions, for each point of the code, at which holes are looked for.

The number of all positions is at least `MIN_HOLE_CANDIDATES` and at most `MAX_HOLE_CANDIDATES`.
"""

CROWDED_REFILL_PROBABILITY = 0.7
"""Probability that `refill` removes crowded points rather than random points."""

MAX_SHAKE = 0.03
"""Largest distance, approximately, by which `refill` moves the points that it keeps."""

CAP_REMOVAL_PROBABILITY = 0.4
"""Probability that `resize` removes points near one point, or near one point and its antipode, if it may."""

POINT_DIRECTION_PROBABILITY = 0.6
"""Probability that `resize` projects along the directions of points rather than along random directions."""

CROWDING_NOISES = (0.01, 0.3, 1.0, 3.0)
"""Standard deviations of the noise that is added to the logarithm of the crowding; one is drawn for each removal."""


def known_optimum(num_points: int, dim: int) -> Points | None:
    """Return an optimal code of K points in R^n if one is known in closed form.

    The first of these cases that applies is used:

    - n = 1: the points 1 and -1, repeated as often as needed,
    - K at most n + 1: the simplex,
    - n = 2: the regular polygon,
    - K at most 2n: vertices of the cross-polytope (Rankin 1955).

    Args:
        num_points: Number K of points.
        dim: Dimension n.

    Returns:
        The (K, n) points, or None if no closed form is known.
    """
    if dim == 1:
        return _points_on_a_line(num_points)
    if num_points <= dim + 1:
        return _simplex(num_points, dim)
    if dim == 2:
        return _polygon(num_points)
    if num_points <= 2 * dim:
        return cross_polytope_points(num_points, dim)
    return None


def _points_on_a_line(num_points: int) -> Points:
    is_even = np.arange(num_points) % 2 == 0
    return np.where(is_even, 1.0, -1.0)[:, None]


def _simplex(num_points: int, dim: int) -> Points:
    centered = np.eye(num_points) - 1 / num_points
    left_vectors = np.linalg.svd(centered)[0]
    vectors = left_vectors[:, : num_points - 1]
    return normalized(padded(vectors, dim))


def _polygon(num_points: int) -> Points:
    angles = 2 * np.pi * np.arange(num_points) / num_points
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def refill(points: Points, rng: np.random.Generator) -> Points:
    """Remove some points of a good code, and put the same number of new points into the deepest holes.

    A hole is a place on the sphere that is far from all points of the code. The removed points are random, or points
    with many near neighbors. The other points are perturbed slightly.

    Args:
        points: A (K, n) code.
        rng: Random generator.

    Returns:
        (K, n) initial points of a descent.
    """
    count, dim = points.shape
    num_moved = int(max(2.0, count / 5) ** rng.random())
    num_kept = count - num_moved
    removes_crowded = rng.random() < CROWDED_REFILL_PROBABILITY
    if removes_crowded:
        kept = _without_crowded(points, num_kept, rng)
    else:
        kept = points[rng.permutation(count)[:num_kept]]
    size = MAX_SHAKE * rng.random() ** 2 / np.sqrt(dim)
    shaken = kept + size * rng.standard_normal(kept.shape)
    return _fill_holes(normalized(shaken), count, rng)


def resize(
    points: Points,
    num_points: int,
    dim: int,
    rng: np.random.Generator,
    caps: bool = True,
) -> Points:
    """Turn a code with any number of points and dimensions into K initial points in R^n.

    - Missing coordinates are filled with zeros.
    - Surplus dimensions are removed by a projection along random directions, or along the directions of points.
    - Surplus points are removed: points far from the subspace onto which the code is projected, points in a cap, or
      points with many near neighbors. A cap consists of the points near one point, or near one point and its antipode.
    - Missing points are added at places that are far from all points.

    All choices are random.

    Args:
        points: A code with any number of points and dimensions.
        num_points: Number K of points of the result.
        dim: Dimension n of the result.
        rng: Random generator.
        caps: If True, surplus points in a cap may be removed. If False, surplus points are not chosen by a cap, which
            is better for codes of about the right size.

    Returns:
        (K, n) initial points of a descent.
    """
    flat = _pad_or_project(points, num_points, dim, rng)
    may_remove_cap = caps and len(flat) > num_points
    if may_remove_cap and rng.random() < CAP_REMOVAL_PROBABILITY:
        flat = _without_cap(flat, num_points, rng)
    fitting = _without_crowded(flat, num_points, rng)
    return _fill_holes(fitting, num_points, rng)


def _without_cap(points: Points, num_points: int, rng: np.random.Generator) -> Points:
    count = len(points)
    center = points[rng.integers(count)]
    height = points @ center
    # otherwise, points near the antipode of `center` are removed, too
    is_cap = rng.random() < 0.5
    order = np.argsort(height if is_cap else np.abs(height))
    num_removed = int(rng.integers(1, count))  # at least `num_points` points are kept
    num_kept = max(num_points, count - num_removed)
    return points[order[:num_kept]]


def _pad_or_project(
    points: Points, num_points: int, dim: int, rng: np.random.Generator
) -> Points:
    surplus = points.shape[1] - dim
    if surplus <= 0:
        return padded(points, dim)
    if rng.random() < POINT_DIRECTION_PROBABILITY:
        directions = points[rng.choice(len(points), surplus, replace=False)].T
    else:
        directions = rng.standard_normal((points.shape[1], surplus))
    basis = np.linalg.qr(directions, mode="complete")[0]
    projected_out = basis[:, :surplus]
    remaining = basis[:, surplus:]
    if (
        len(points) > num_points and rng.random() < 0.5
    ):  # drop the points far from the subspace
        depth = np.linalg.norm(points @ projected_out, axis=1)
        num_kept = max(num_points, int(len(points) * rng.random()))
        points = points[np.argsort(depth)[:num_kept]]
    return normalized(points @ remaining + 1e-9)


def _without_crowded(
    points: Points, num_points: int, rng: np.random.Generator
) -> Points:
    noise = rng.choice(CROWDING_NOISES)
    if len(points) <= num_points:
        return points
    nearness = np.exp(CROWDING_RATE * (points @ points.T - 1))
    np.fill_diagonal(nearness, 0)
    kept = np.arange(len(points))
    present = np.ones(len(points))
    while len(kept) > num_points:
        neighbors = (nearness @ present)[kept]
        perturbation = noise * rng.standard_normal(len(kept))
        crowding = np.log(neighbors + 1e-300) + perturbation
        num_removed = max(1, (len(kept) - num_points) // 4)
        removed = np.argsort(crowding)[-num_removed:]
        present[kept[removed]] = 0
        kept = np.delete(kept, removed)
    return points[kept]


def _fill_holes(points: Points, num_points: int, rng: np.random.Generator) -> Points:
    missing = num_points - len(points)
    if missing <= 0:
        return points
    num_candidates = int(
        np.clip(
            HOLE_CANDIDATES_PER_POINT * num_points,
            MIN_HOLE_CANDIDATES,
            MAX_HOLE_CANDIDATES,
        )
    )
    candidates = uniform_points(num_candidates, points.shape[1], rng)
    nearest_cosine = (candidates @ points.T).max(axis=1)
    added: list[Points] = []
    for _ in range(missing):
        deepest = candidates[int(np.argmin(nearest_cosine))]
        added.append(deepest)
        nearest_cosine = np.maximum(nearest_cosine, candidates @ deepest)
    return np.vstack([points, *added])
