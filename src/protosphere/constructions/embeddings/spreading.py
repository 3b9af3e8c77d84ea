"""Moving apart points that are too close, until every pair has a minimum angle; all other points stay fixed."""

from __future__ import annotations

import numpy as np

from protosphere.errors import InfeasibleError
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices, Points

MOST_ROUNDS = 400

OVERSHOOT = 1.05
"""Factor by which pairs are moved farther apart than required."""

JITTER = 0.2
"""Random part of a move, relative to the required distance: it separates points that coincide."""

BLOCK_ENTRIES = 1 << 24
"""Number of cosines in memory together."""

NEGLIGIBLE = 1e-4
"""Distances below this fraction of the required distance are too small to define a direction."""


def spread(points: Points, least_degrees: float, rng: np.random.Generator) -> Points:
    """Move apart all points that are closer than an angle.

    Args:
        points: Unit rows.
        least_degrees: Smallest angle between two rows of the result.
        rng: Randomness of the moves of points that coincide.

    Returns:
        Unit rows; those without a close neighbor are unchanged.

    Raises:
        InfeasibleError: If the points do not get this far apart.
    """
    distance = 2 * np.sin(np.radians(least_degrees) / 2)
    found = points.copy()
    left, right = close_pairs(found, np.arange(len(found)), distance)
    for _ in range(MOST_ROUNDS):
        if not len(left):
            return found
        moved = _push_apart(found, left, right, distance, rng)
        left, right = close_pairs(found, moved, distance)
    raise InfeasibleError(
        f"'min_angle' of {least_degrees:g} degrees is not reached by {len(found)} classes in {found.shape[1]} "
        f"dimensions; a smaller angle, such as {least_degrees / 2:g}, or a larger dim works"
    )


def close_pairs(
    points: Points, rows: Indices, distance: float
) -> tuple[Indices, Indices]:
    """Return all pairs that are closer than a distance and contain at least one of `rows`, each pair once.

    Args:
        points: Unit vectors, one per row.
        rows: Indices of the points whose neighbors are searched.
        distance: Euclidean distance.

    Returns:
        The smaller and the larger index of each pair.
    """
    limit = 1 - distance**2 / 2
    near = np.float32(limit - 1e-5)
    rounded = points.astype(np.float32)
    step = max(1, BLOCK_ENTRIES // len(points))
    left: list[Indices] = []
    right: list[Indices] = []
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        one, other = np.nonzero(rounded[block] @ rounded.T > near)
        left.append(block[one])
        right.append(other)
    ones = np.concatenate(left)
    others = np.concatenate(right)
    different = ones != others
    return _verified(points, ones[different], others[different], distance)


def _verified(
    points: Points, ones: Indices, others: Indices, distance: float
) -> tuple[Indices, Indices]:
    """Return the pairs that are too close in float64, each pair once."""
    low = np.minimum(ones, others)
    high = np.maximum(ones, others)
    pairs = np.unique(low * len(points) + high)
    low, high = np.divmod(pairs, len(points))
    between = points[low] - points[high]
    close = np.einsum("ij,ij->i", between, between) < distance**2
    return low[close], high[close]


def _push_apart(
    points: Points,
    left: Indices,
    right: Indices,
    distance: float,
    rng: np.random.Generator,
) -> Indices:
    """Move both points of each pair away from each other, in place, and return the indices of the points that moved."""
    between = points[left] - points[right]
    gaps = np.linalg.norm(between, axis=1, keepdims=True)
    noise = rng.standard_normal(between.shape) * (JITTER / np.sqrt(points.shape[1]))
    direction = between / np.maximum(gaps, NEGLIGIBLE * distance) + noise
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    moves = direction * (np.maximum(OVERSHOOT * distance - gaps, 0) / 2)
    np.add.at(points, left, moves)
    np.add.at(points, right, -moves)
    moved = np.unique(np.concatenate([left, right]))
    points[moved] = normalized(points[moved])
    return moved
