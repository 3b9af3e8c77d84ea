"""Where descents begin: at random, from codes the caller has, from good codes with some of their points moved."""

import numpy as np

from protosphere.geometry.sphere import (
    cross_polytope_points,
    normalized,
    padded,
    uniform_points,
)
from protosphere.types import Points

KINDS = ("random", "symmetric", "refilled")
"""What a search draws from by itself; winners may also be `given` or `catalogue`, the caller's points, or `exact`."""

CROWDING = 50.0
"""Of a neighbour at cosine c there is exp(CROWDING c)."""

PLACES = (200, 2000)
"""How many random places are looked at for the deepest hole: five for each point, within these limits."""


def known_optimum(num_points: int, dim: int) -> Points | None:
    """The optimal code where one is known in closed form: a polygon, a simplex, a cross-polytope (Rankin 1955)."""
    if dim == 1:
        return np.where(np.arange(num_points) % 2 == 0, 1.0, -1.0)[:, None]
    if num_points <= dim + 1:
        centred = np.eye(num_points) - 1 / num_points
        vectors = np.linalg.svd(centred)[0][:, : num_points - 1]
        return normalized(padded(vectors, dim))
    if dim == 2:
        angles = 2 * np.pi * np.arange(num_points) / num_points
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if num_points <= 2 * dim:
        return cross_polytope_points(num_points, dim)
    return None


def refill(points: Points, rng: np.random.Generator) -> Points:
    """A good code with some points taken out, crowded ones first or any, and put into the deepest holes there are."""
    count, dim = points.shape
    moved = int(max(2.0, count / 5) ** rng.random())
    crowded = rng.random() < 0.7
    if crowded:
        kept = _thin(points, count - moved, rng)
    else:
        kept = points[rng.permutation(count)[: count - moved]]
    shaken = kept + 0.03 * rng.random() ** 2 / np.sqrt(dim) * rng.standard_normal(
        kept.shape
    )
    return _fill_holes(normalized(shaken), count, rng)


def resize(
    points: Points,
    num_points: int,
    dim: int,
    rng: np.random.Generator,
    caps: bool = True,
) -> Points:
    """A code of any size and dimension made one of `num_points` in R^`dim`: a start, the random choices anew each time.

    Coordinates are appended, or the points are seen along a few directions, random ones or those of points; what is
    too much leaves, far ones from the plane of view first, or a cap, or the crowded; newcomers go into deep holes. A
    code of about that size already should lose none of its `caps`.
    """
    flat = _pad_or_project(points, num_points, dim, rng)
    if caps and len(flat) > num_points and rng.random() < 0.4:
        height = flat @ flat[rng.integers(len(flat))]
        order = np.argsort(height if rng.random() < 0.5 else np.abs(height))
        flat = flat[
            order[: max(num_points, len(flat) - int(rng.integers(1, len(flat))))]
        ]
    return _fill_holes(_thin(flat, num_points, rng), num_points, rng)


def _pad_or_project(
    points: Points, num_points: int, dim: int, rng: np.random.Generator
) -> Points:
    """`points` in R^`dim`: padded, or seen along random directions, of points themselves or of any kind."""
    surplus = points.shape[1] - dim
    if surplus <= 0:
        return padded(points, dim)
    if rng.random() < 0.6:
        along = points[rng.choice(len(points), surplus, replace=False)].T
    else:
        along = None
    if along is None:
        along = rng.standard_normal((points.shape[1], surplus))
    basis = np.linalg.qr(along, mode="complete")[0]
    if len(points) > num_points and rng.random() < 0.5:
        depth = np.linalg.norm(points @ basis[:, :surplus], axis=1)
        points = points[
            np.argsort(depth)[: max(num_points, int(len(points) * rng.random()))]
        ]
    return normalized(points @ basis[:, surplus:] + 1e-9)


def _thin(points: Points, num_points: int, rng: np.random.Generator) -> Points:
    """The worst placed leave, a quarter of the surplus at a time, judged by how many near neighbours they have."""
    noise = rng.choice([0.01, 0.3, 1.0, 3.0])
    if len(points) <= num_points:
        return points
    nearness = np.exp(CROWDING * (points @ points.T - 1))
    np.fill_diagonal(nearness, 0)
    kept = np.arange(len(points))
    present = np.ones(len(points))
    while len(kept) > num_points:
        crowding = np.log(
            (nearness @ present)[kept] + 1e-300
        ) + noise * rng.standard_normal(len(kept))
        leaving = np.argsort(crowding)[-max(1, (len(kept) - num_points) // 4) :]
        present[kept[leaving]] = 0
        kept = np.delete(kept, leaving)
    return points[kept]


def _fill_holes(points: Points, num_points: int, rng: np.random.Generator) -> Points:
    """Newcomers in the deepest of many random places, one after the other."""
    missing = num_points - len(points)
    if missing <= 0:
        return points
    places = uniform_points(int(np.clip(5 * num_points, *PLACES)), points.shape[1], rng)
    nearest = (places @ points.T).max(axis=1)
    added: list[Points] = []
    for _ in range(missing):
        added.append(places[int(np.argmin(nearest))])
        nearest = np.maximum(nearest, places @ added[-1])
    return np.vstack([points, *added])
