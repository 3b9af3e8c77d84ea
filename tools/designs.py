"""Search for designs: codes of the scheme `designs`.

A design consists of the codewords of a parent code that have given numbers of ones on given cells. Cells are sets of
coordinates, which the search draws at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from random import Random
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from protosphere.constructions.best.candidates import candidates
from protosphere.constructions.frames.designs import (
    CellWords,
    DesignRow,
    WeightedCell,
    Words,
    most_common_ones,
    parent_words,
)
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.types import Progress, ignore

MOST_CELLS = 5
"""Largest number of cells of a random division of the coordinates."""

MOST_SETS = 3
"""Largest number of random sets that divide the coordinates."""

SET_SIZES = (1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8)
"""Possible sizes of a random set that is not the support of a codeword. Repeated sizes are more likely."""

LARGEST_WEIGHT = 256
"""Upper bound on the number of ones on a cell."""

MARGIN = 1e-9
"""Smallest difference of maximum cosines by which a design must be better."""


def hunt_designs(
    known: Iterable[DesignRow],
    parents: Iterable[str],
    *,
    seconds: float,
    most_points: int,
    seed: int,
    progress: Progress = ignore,
) -> list[DesignRow]:
    """Search for designs with a lower maximum cosine than every code of another scheme.

    Args:
        known: Designs that are known already.
        parents: Names of the parent codes.
        seconds: Time for each parent.
        most_points: Largest number of points of a design.
        seed: Seed of the random cells.
        progress: Called for each parent.

    Returns:
        The known and new designs that no other design beats, sorted by dimension and number of points.
    """
    found = {(row.dim, row.size): row for row in known}
    names = list(parents)
    for done, parent in enumerate(names):
        progress(f"designs of {parent}", done, len(names))
        for row in _of_parent(parent, seconds, most_points, Random(seed)):
            before = found.get((row.dim, row.size))
            if before is None or _cosine(row) < _cosine(before):
                found[row.dim, row.size] = row
    return undominated(found.values())


def undominated(rows: Iterable[DesignRow]) -> list[DesignRow]:
    """Return the designs that no other design beats, sorted by dimension and number of points.

    A design beats another if it has no more dimensions, at least as many points, and no higher maximum cosine.
    """
    kept: list[DesignRow] = []
    for row in sorted(rows, key=lambda row: (row.dim, _cosine(row), -row.size)):
        if not any(
            other.size >= row.size and _cosine(other) <= _cosine(row) for other in kept
        ):
            kept.append(row)
    return sorted(kept, key=lambda row: (row.dim, row.size))


def _cosine(row: DesignRow) -> Fraction:
    return Fraction(row.max_cosine)


@lru_cache(maxsize=1 << 16)
def other_schemes(num_classes: int, dim: int) -> float:
    """Return the lowest maximum cosine of K points in R^n without the scheme `designs`.

    It is the lowest guarantee of another scheme, or the value of the catalogue if that is lower.
    """
    found = [1.0]
    for candidate in candidates(num_classes, dim):
        if candidate.scheme != "designs":
            found.append(float(candidate.max_cosine))
            break
    entry = shipped_catalogue().best_entry(num_classes, dim)
    if entry is not None:
        found.append(entry.max_cosine)
    return min(found)


def _of_parent(
    parent: str, seconds: float, most_points: int, random: Random
) -> Iterator[DesignRow]:
    """Yield designs of one parent code that are better than all other schemes, until `seconds` have passed."""
    words = parent_words(parent)
    seen: set[tuple[object, ...]] = set()
    end = monotonic() + seconds
    cells = [np.arange(words.shape[1])]
    while monotonic() < end:
        weights = np.stack([words[:, cell].sum(axis=1) for cell in cells], axis=1)
        for kept, dropped in _splits(len(cells)):
            dim = sum(len(cells[i]) - 1 for i in kept)
            if 3 * dim < words.shape[1]:
                continue
            for profile, size in _profiles(weights[:, kept + dropped]):
                if not 2 * dim < size <= most_points:
                    continue
                chosen = [
                    WeightedCell(weight, tuple(cells[i].tolist()))
                    for i, weight in zip(kept + dropped, profile, strict=True)
                ]
                one = CellWords(
                    parent, tuple(chosen[: len(kept)]), tuple(chosen[len(kept) :])
                )
                if not _is_new(one, size, seen):
                    continue
                cosine = one.max_cosine(most_common_ones(one.words()))
                if 0 < cosine < other_schemes(size, dim) - MARGIN:
                    yield DesignRow(one.name, dim, size, str(cosine))
        cells = _random_cells(words, random)


def _is_new(one: CellWords, size: int, seen: set[tuple[object, ...]]) -> bool:
    """Return whether a design is valid and new.

    It is valid if its codewords have a positive number of ones on each kept cell, but not only ones. It is new if
    `seen` has no design with `size` points and the same sizes and weights of cells. A new design is added to `seen`.
    """
    if any(not 0 < cell.weight <= cell.dim for cell in one.kept):
        return False
    kept = sorted((cell.weight, cell.dim) for cell in one.kept)
    dropped = sorted((cell.weight, cell.dim) for cell in one.dropped)
    key = (size, tuple(kept), tuple(dropped))
    if key in seen:
        return False
    seen.add(key)
    return True


def _profiles(weights: NDArray[np.int64]) -> Iterator[tuple[list[int], int]]:
    """Yield every distinct row of `weights`, and how often it occurs."""
    places = LARGEST_WEIGHT ** np.arange(weights.shape[1])
    numbers, counts = np.unique(weights.astype(np.int64) @ places, return_counts=True)
    for number, count in zip(numbers, counts.tolist(), strict=True):
        yield (number // places % LARGEST_WEIGHT).tolist(), count


def _random_cells(words: Words, random: Random) -> list[NDArray[np.int64]]:
    """Return cells of the coordinates. Two coordinates are in the same cell if the same random sets contain them.

    A random set is a small set or the support of a codeword, each with probability 1/2. If there are more than
    `MOST_CELLS` cells, a single cell with all coordinates is returned.
    """
    length = words.shape[1]
    labels = np.zeros(length, dtype=np.int64)
    for _ in range(random.randint(1, MOST_SETS)):
        if random.random() < 0.5:
            inside = np.zeros(length, dtype=np.int64)
            inside[random.sample(range(length), random.choice(SET_SIZES))] = 1
        else:
            inside = words[random.randrange(len(words))].astype(np.int64)
        labels = 2 * labels + inside
    cells = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return cells if len(cells) <= MOST_CELLS else [np.arange(length)]


def _splits(count: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield all divisions of the cells 0 to `count` - 1 into cells to keep, at least one, and cells to leave out."""
    numbers = range(count)
    for num_kept in range(1, count + 1):
        for kept in combinations(numbers, num_kept):
            yield kept, tuple(i for i in numbers if i not in kept)
