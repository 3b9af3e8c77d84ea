"""Where descents begin: at random, on orbits of a group, from a shaken good code, from codes the caller has."""

from __future__ import annotations

import numpy as np

from protosphere.geometry.sphere import normalized, uniform_points
from protosphere.types import Points

KINDS = ("random", "symmetric", "shaken")
"""What a search draws from by itself; a winner may also be `given` (from the caller's points) or `exact`."""


def known_optimum(num_points: int, dim: int) -> Points | None:
    """The optimal code where one is known in closed form: a polygon, a simplex, a cross-polytope (Rankin 1955)."""
    if dim == 1:
        return np.where(np.arange(num_points) % 2 == 0, 1.0, -1.0)[:, None]
    if num_points <= dim + 1:
        centred = np.eye(num_points) - 1 / num_points
        vectors = np.linalg.svd(centred)[0][:, : num_points - 1]
        return normalized(np.pad(vectors, ((0, 0), (0, dim - num_points + 1))))
    if dim == 2:
        angles = 2 * np.pi * np.arange(num_points) / num_points
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if num_points <= 2 * dim:
        points = np.zeros((num_points, dim))
        index = np.arange(num_points)
        points[index, index // 2] = 1.0 - 2 * (index % 2)
        return points
    return None


def shaken(points: Points, rng: np.random.Generator) -> Points:
    """A good code disturbed: all points by a little, or a few of them thrown anywhere."""
    count, dim = points.shape
    if rng.random() < 0.5:
        size = 0.03 * 16 ** rng.random()
        return normalized(points + size / np.sqrt(dim) * rng.standard_normal(points.shape))
    moved = rng.choice(count, size=int(rng.integers(1, max(2, count // 6))), replace=False)
    result = points.copy()
    result[moved] = uniform_points(len(moved), dim, rng)
    return result


def fitted(points: Points, num_points: int, dim: int, rng: np.random.Generator) -> Points:
    """A code of any size and dimension made one of `num_points` in R^`dim`: a start, the random choices anew each time.

    Coordinates are appended, or a random subspace is taken; the worst placed points leave, judged by how many pairs
    near the largest cosine they are in; newcomers go into the deepest of many random places.
    """
    result = _turned(points, dim, rng)
    noise = rng.choice([0.01, 0.3, 3.0])
    while len(result) > num_points:
        gram = result @ result.T
        np.fill_diagonal(gram, -1)
        crowding = np.exp(50 * (gram - gram.max())).sum(axis=1) * np.exp(noise * rng.standard_normal(len(result)))
        surplus = len(result) - num_points
        worst = np.argsort(crowding)[-max(1, surplus // 4) :]
        result = np.delete(result, worst, axis=0)
    while len(result) < num_points:
        places = uniform_points(2000, dim, rng)
        result = np.vstack([result, places[np.argmin((places @ result.T).max(axis=1))]])
    return result


def _turned(points: Points, dim: int, rng: np.random.Generator) -> Points:
    """`points` in R^`dim`: padded, or seen from a random direction."""
    have = points.shape[1]
    if have <= dim:
        return np.pad(points, ((0, 0), (0, dim - have)))
    basis = np.linalg.qr(rng.standard_normal((have, dim)))[0]
    return normalized(points @ basis)
