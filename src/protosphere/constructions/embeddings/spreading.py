"""Move apart points that are too close, until every pair has a minimum distance.

The search has rounds. In each round, both points of each pair that is too close move away from each other. Points that
are never too close to another point do not move. The shortfall of a round is the sum of 1 - d/D over the pairs that
were too close at its start, where d is the distance of the pair and D is the required distance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from protosphere.bounds import converse
from protosphere.errors import InfeasibleError
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices, Points

MOST_ROUNDS = 400

MOST_SCATTERINGS = 20
"""Largest number of times that points with too many close neighbors are moved by random vectors."""

SCATTERING = 0.8
"""Largest norm of the random vector of a point with m close neighbors, divided by D m^(1/d).

D is the required distance, and d is the dimension of the sphere or of the space.

Smaller vectors keep equal points nearer to each other. But with 0.65, points in 3 dimensions did not get apart.
"""

MOST_NEIGHBORS = 32
"""Number of close neighbors above which a point is moved by a random vector.

The sum of the moves away from all of them would be too long. In few dimensions the number is smaller (see
`_scatter_crowds`), because points in a crowd can only get apart by moving past each other.
"""

MOST_PAIRS_PER_POINT = 128
"""Number of close pairs per point above which the search gives up: a move away from one point ends close to others."""

FEW_PAIRS = 1 << 20
"""Number of close pairs up to which the search does not give up, however few the points are."""

ROUNDS_TO_COMPARE = 20
"""Number of rounds between two shortfalls that are compared, to predict the shortfall of the last round."""

OVERSHOOT = 1.05
"""Factor by which pairs are moved farther apart than required."""

JITTER = 0.2
"""Typical norm of the random vector that is added to the unit vector of a move. It separates points that coincide."""

BLOCK_ENTRIES = 1 << 24
"""Largest number of distances, or of coordinates of difference vectors, that are in memory together."""

NEGLIGIBLE = 1e-4
"""Distances below this fraction of the required distance are too small to define a direction."""

ERROR = 1e-9
"""Bound on the rounding error of a converse in float64."""

MARGIN = 2e-5
"""Bound on the error of squared distances in float32; candidates are compared again in float64."""


def spread(points: Points, least_degrees: float, rng: np.random.Generator) -> Points:
    """Move apart all pairs of points whose angle is smaller than a given angle.

    Args:
        points: Unit vectors, as rows.
        least_degrees: Smallest angle between two rows of the result, in degrees.
        rng: Random generator. It makes the directions of the moves slightly random, which separates equal points.

    Returns:
        Unit vectors, as rows. Rows that never come too close to another row are unchanged.

    Raises:
        InfeasibleError: If the search does not find points that are so far apart.
    """
    distance = float(2 * np.sin(np.radians(least_degrees) / 2))
    found = None
    if np.cos(np.radians(least_degrees)) > float(converse(*points.shape).value) - ERROR:
        found = _apart(points, distance, rng, on_sphere=True)
    if found is None:
        raise InfeasibleError(
            f"'min_angle' of {least_degrees:g} degrees is not reached by {len(points)} classes in {points.shape[1]} "
            f"dimensions; a smaller angle, such as {least_degrees / 2:g}, or a larger dim works"
        )
    return found


def spread_in_space(
    points: Points, distance: float, rng: np.random.Generator
) -> Points | None:
    """Move apart all pairs of points of R^n that are closer than a distance, or return None if the search fails.

    Args:
        points: Vectors of norm at most 1, as rows.
        distance: Smallest Euclidean distance between two rows of the result.
        rng: Random generator. It makes the directions of the moves slightly random, which separates equal points.

    Returns:
        The points as rows, whose norms may be above 1. If the search does not find points that are so far apart, None
        is returned.
    """
    return _apart(points, distance, rng, on_sphere=False)


def _apart(
    points: Points, distance: float, rng: np.random.Generator, *, on_sphere: bool
) -> Points | None:
    found = points.copy()
    _scatter_crowds(found, distance, rng, on_sphere=on_sphere)
    most_pairs = max(FEW_PAIRS, MOST_PAIRS_PER_POINT * len(points))
    moved = np.arange(len(found))
    before = np.inf
    for number in range(MOST_ROUNDS):
        left, right = close_pairs(found, moved, distance, most_pairs)
        if not len(left):
            return found
        if len(left) > most_pairs:
            return None
        shortfall = _push_apart(found, left, right, distance, rng)
        moved = np.unique(np.concatenate([left, right]))
        if on_sphere:
            found[moved] = normalized(found[moved])
        if number % ROUNDS_TO_COMPARE == 0:
            later = (MOST_ROUNDS - number) / ROUNDS_TO_COMPARE
            last = _predicted_shortfall(before, shortfall, later)
            # the search gives up if its last round is predicted to leave too large a shortfall
            if number > ROUNDS_TO_COMPARE and last > len(points) / 20:
                return None
            before = shortfall
    return None


def _predicted_shortfall(before: float, now: float, periods: float) -> float:
    # A period has ROUNDS_TO_COMPARE rounds. The shortfall decreased by this factor in the last period, and is expected
    # to do so in each further one.
    factor = min(1.0, now / max(before, np.finfo(np.float64).tiny))
    return now * factor**periods


def _scatter_crowds(
    points: Points, distance: float, rng: np.random.Generator, *, on_sphere: bool
) -> None:
    # A point has too many close neighbors if it has more than MOST_NEIGHBORS or more than 2^(dim + 1). If it has m of
    # them, the norm of its random vector is at most SCATTERING * distance * m^(1/dim). A ball of about this radius has
    # room for m points that are `distance` apart.
    dim = points.shape[1] - on_sphere
    rows = np.arange(len(points))
    for _ in range(MOST_SCATTERINGS):
        neighbors = _num_close(points, rows, distance)
        crowded = neighbors > min(MOST_NEIGHBORS, 2 << min(dim, 30))
        rows = rows[crowded]
        if not len(rows):
            return
        radii = SCATTERING * distance * neighbors[crowded] ** (1 / dim)
        radii *= rng.random(len(rows)) ** (1 / dim)
        moves = rng.standard_normal((len(rows), points.shape[1]))
        if on_sphere:
            moves -= np.sum(moves * points[rows], axis=1, keepdims=True) * points[rows]
        points[rows] += normalized(moves) * radii[:, None]
        if on_sphere:
            points[rows] = normalized(points[rows])


def _num_close(points: Points, rows: Indices, distance: float) -> Indices:
    # each point is close to itself
    counts = [near.sum(axis=1) - 1 for _, near in _near(points, rows, distance)]
    return np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64)


def _near(
    points: Points, rows: Indices, distance: float
) -> Iterator[tuple[Indices, NDArray[np.bool_]]]:
    # distances are computed in float32, so pairs at a slightly larger distance may be included
    rounded = points.astype(np.float32)
    halves = np.einsum("ij,ij->i", rounded, rounded) / 2
    limit = np.float32((distance**2 + MARGIN) / 2)
    step = max(1, BLOCK_ENTRIES // len(points))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        gaps = rounded[block] @ rounded.T
        np.subtract(halves, gaps, out=gaps)
        # entry (i, j) of the matrix says whether point j is close to point block[i]
        yield block, gaps < (limit - halves[block])[:, None]


def close_pairs(
    points: Points, rows: Indices, distance: float, most: float = np.inf
) -> tuple[Indices, Indices]:
    """Return all pairs of points that are closer than a distance and have at least one point in `rows`.

    Each pair occurs once.

    Args:
        points: Vectors of norm at most 1, one per row.
        rows: Indices of the points whose neighbors are searched.
        distance: Euclidean distance below which two points are returned as a pair.
        most: If there are more pairs than this number, some of them may be missing in the result.

    Returns:
        Two arrays: the smaller index and the larger index of each pair of points.
    """
    left: list[Indices] = [rows[:0]]
    right: list[Indices] = [rows[:0]]
    count = 0
    for block, near in _near(points, rows, distance):
        one, other = np.nonzero(near)
        different = block[one] != other
        left.append(block[one][different])
        right.append(other[different])
        count += len(left[-1])
        if count > 4 * most:  # at most half are left without doubles
            break
    return _verified(points, np.concatenate(left), np.concatenate(right), distance)


def _verified(
    points: Points, ones: Indices, others: Indices, distance: float
) -> tuple[Indices, Indices]:
    low = np.minimum(ones, others)
    high = np.maximum(ones, others)
    pairs = np.unique(low * len(points) + high)  # each pair once
    low, high = np.divmod(pairs, len(points))
    close = np.empty(len(pairs), dtype=np.bool_)
    step = _pairs_at_once(points)
    for start in range(0, len(pairs), step):
        some = slice(start, start + step)
        between = points[low[some]] - points[high[some]]
        close[some] = np.einsum("ij,ij->i", between, between) < distance**2
    return low[close], high[close]


def _pairs_at_once(points: Points) -> int:
    # limits the memory of the difference vectors
    return max(1, BLOCK_ENTRIES // points.shape[1])


def _push_apart(
    points: Points,
    left: Indices,
    right: Indices,
    distance: float,
    rng: np.random.Generator,
) -> float:
    shifts = np.zeros_like(points)
    shortfall = 0.0
    step = _pairs_at_once(points)
    for start in range(0, len(left), step):
        ones = left[start : start + step]
        others = right[start : start + step]
        between = points[ones] - points[others]
        gaps = np.linalg.norm(between, axis=1, keepdims=True)
        noise = rng.standard_normal(between.shape) * (JITTER / np.sqrt(points.shape[1]))
        direction = between / np.maximum(gaps, NEGLIGIBLE * distance) + noise
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        moves = direction * (np.maximum(OVERSHOOT * distance - gaps, 0) / 2)
        np.add.at(shifts, ones, moves)
        np.add.at(shifts, others, -moves)
        shortfall += float(np.maximum(distance - gaps, 0).sum()) / distance
    points += shifts
    return shortfall  # before the moves
