"""Change the values of classes so that no two classes have the same combination of values.

Vectors are divided into P parts, and each part has a list of values, which are vectors of fewer dimensions. A class has
one value of each part. These values are its combination, stored as P indices. A combination is free if no class has it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InfeasibleError
from protosphere.geometry.closest_classes import Values
from protosphere.types import Indices, Points

MOST_ROUNDS = 200

SPARE = 4
"""Number of combinations that are compared for each class that needs another one; each new attempt doubles it."""

BLOCK_ENTRIES = 1 << 21
"""Largest number of combinations that are compared together."""


def with_own_combinations(values: Values, parts: list[Points]) -> Values:
    """Return indices of values such that no two classes have the same combination of values.

    Of several classes with the same combination, the first class keeps it. Each of the others gets a combination that
    no class has and that is among the nearest to its former combination. The vector of a combination is the
    concatenation of its values, and the distance of two combinations is the distance of their vectors.

    Args:
        values: K x P matrix of indices: entry (i, p) is the index of the value that class i has in part p.
        parts: For each of the P parts, a matrix whose rows are the values.

    Returns:
        A matrix like `values`, in which all rows are different.

    Raises:
        InfeasibleError: If some classes find no free combination.
    """
    found = values.astype(np.int64)
    neighbors = [_neighbors(part) for part in parts]
    radix = np.cumprod([1, *(len(part) for part in parts[:-1])])
    for attempt in range(MOST_ROUNDS):
        keys = found @ radix
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        is_new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        repeated = order[~is_new]
        if not len(repeated):
            return found.astype(values.dtype)
        taken = ordered[is_new]
        groups = np.cumsum(is_new)[~is_new]
        # if several classes would get the same combination, only one of them gets it, and the others are tried again
        _move(
            found, repeated, groups, taken, neighbors, radix, SPARE << min(attempt, 20)
        )
    raise InfeasibleError(
        f"'parts' needs combinations for {len(found)} classes, too many of them the same, got {len(parts)} parts of "
        "them; more parts work"
    )


def _neighbors(points: Points) -> tuple[Indices, Points]:
    squares = np.einsum("ij,ij->i", points, points)
    # half of the squared distances
    distances = (squares[:, None] + squares) / 2 - points @ points.T
    np.fill_diagonal(distances, -1)
    order = np.argsort(distances, axis=1, kind="stable")
    return order, np.maximum(np.take_along_axis(distances, order, axis=1), 0)


def _move(
    found: Indices,
    repeated: Indices,
    groups: Indices,
    taken: Indices,
    neighbors: list[tuple[Indices, Points]],
    radix: Indices,
    spare: int,
) -> None:
    # Classes with the same combination are consecutive in `repeated` and have the same number in `groups`. The number
    # of a combination is the inner product of its P indices with `radix`; `taken` has the numbers of combinations that
    # are not free, in ascending order. A class that finds no free combination among about `spare` ones keeps its own.
    starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    counts = np.diff(np.append(starts, len(groups)))
    widths = np.ceil((spare * counts) ** (1 / len(neighbors)) - 1e-9).astype(np.int64)
    largest = max(len(order) for order, _ in neighbors)
    widths = np.clip(widths, 2, max(2, largest))
    for width in np.unique(widths).tolist():
        chosen = np.flatnonzero(widths == width)
        sizes = [min(width, len(order)) for order, _ in neighbors]
        step = max(1, BLOCK_ENTRIES // int(np.prod(sizes)))
        for start in range(0, len(chosen), step):
            some = chosen[start : start + step]
            base = found[repeated[starts[some]]]
            values, is_free = _nearest_free(
                base, int(counts[some].max()), taken, neighbors, radix, width
            )
            rank = np.arange(values.shape[1], dtype=np.int64)
            is_wanted = np.less(rank, counts[some, None])
            group, place = np.nonzero(is_free & is_wanted)
            found[repeated[starts[some][group] + place]] = values[group, place]


def _nearest_free(
    base: Indices,
    count: int,
    taken: Indices,
    neighbors: list[tuple[Indices, Points]],
    radix: Indices,
    width: int,
) -> tuple[Indices, NDArray[np.bool_]]:
    # In each part, the `width` values nearest to the value in `base` are compared. Entry (i, j, p) of the result is the
    # index that the j-th combination for row i has in part p. The free combinations of a row come first.
    losses = np.zeros((len(base), 1))
    keys = np.zeros((len(base), 1), dtype=np.int64)
    for part, (order, distances) in enumerate(neighbors):
        own = base[:, part]
        near = distances[own, :width]
        losses = (losses[:, :, None] + near[:, None, :]).reshape(len(base), -1)
        numbers = order[own, :width] * radix[part]
        keys = (keys[:, :, None] + numbers[:, None, :]).reshape(len(base), -1)
    place = np.searchsorted(taken, keys).clip(max=len(taken) - 1)
    losses[taken[place] == keys] = np.inf
    count = min(count, losses.shape[1])
    nearest = np.argpartition(losses, count - 1, axis=1)[:, :count]
    nearest.sort(axis=1)
    ranked = np.argsort(
        np.take_along_axis(losses, nearest, axis=1), axis=1, kind="stable"
    )
    nearest = np.take_along_axis(nearest, ranked, axis=1)
    is_free = np.isfinite(np.take_along_axis(losses, nearest, axis=1))
    numbers = np.take_along_axis(keys, nearest, axis=1)
    sizes = np.array([len(order) for order, _ in neighbors])
    return numbers[:, :, None] // radix % sizes, is_free
