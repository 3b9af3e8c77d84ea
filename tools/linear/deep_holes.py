"""Add a row to the generator matrix of a code.

The row is a deep hole: a vector that is far from every codeword. It is found by tabu search.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import numpy as np

from protosphere.coding.derivations import Bits
from protosphere.coding.linear import codewords, pack, unpack
from tools.linear.workshop import Found, Workshop

MOST_ENTRIES = 1 << 22
"""Largest number of entries of the matrix of all codewords."""

STEPS = 200
TRIALS = 3


def lengthened_codes(
    base: Found,
    bits: Bits,
    workshop: Workshop,
    targets: Mapping[tuple[int, int], int],
    rng: random.Random,
) -> Iterator[Found]:
    """Yield codes of dimension k + 1 that reach their target, made by adding a row to the generator matrix of `base`.

    There are at most two codes: one of length n, and one of length n + 1. The latter also has a new column, which is 0
    in all rows except the new one.

    Args:
        base: Code of length n and dimension k.
        bits: Its generator matrix.
        workshop: The best codes so far.
        targets: Minimum distances to reach, by length and dimension.
        rng: Random generator.
    """
    for more in (0, 1):
        cell = base.n + more, base.k + 1
        target = targets.get(cell, 0)
        is_small = base.n << base.k <= MOST_ENTRIES
        if not is_small or workshop.d(*cell) >= target or base.d < target:
            continue
        words = unpack(codewords(pack(bits), 1 << base.k), base.n)
        hole = _first_hole(words, target - more, rng)
        if hole is not None:
            row = sum(1 << j for j in np.flatnonzero(hole).tolist()) | more << base.n
            steps = f"columns 0, rows {row:x}" if more else f"rows {row:x}"
            yield base.then(*cell, target, steps)


def _first_hole(words: Bits, distance: int, rng: random.Random) -> Bits | None:
    """Return the result of the first of `TRIALS` searches that finds a deep hole; None if none of them does."""
    for _ in range(TRIALS):
        hole = deep_hole(words, distance, rng)
        if hole is not None:
            return hole
    return None


def deep_hole(words: Bits, distance: int, rng: random.Random) -> Bits | None:
    """Return a vector with at least this Hamming distance from every codeword; None if the search finds none.

    The deficit of a codeword is the amount by which it is nearer than `distance`. Each step flips one bit. Among the
    bits that were not flipped recently, it is the bit that gives the smallest sum of squared deficits.

    Args:
        words: All codewords, one per row.
        distance: Distance to reach.
        rng: Random generator.
    """
    n = words.shape[1]
    vector = np.array([rng.getrandbits(1) for _ in range(n)], dtype=np.uint8)
    free_at = np.zeros(n, dtype=np.int64)
    far = (words != vector).sum(axis=1, dtype=np.int64)
    for step in range(STEPS):
        if far.min() >= distance:
            return vector
        light = np.flatnonzero(far <= distance)
        nearer = np.where(words[light] == vector, -1, 1)
        deficits = np.clip((distance - far[light])[:, None] + nearer, 0, None)
        penalties = (deficits * deficits).sum(axis=0)
        penalties[free_at > step] = np.iinfo(np.int64).max
        flipped = int(rng.choice(np.flatnonzero(penalties == penalties.min()).tolist()))
        far += np.where(words[:, flipped] == vector[flipped], 1, -1)
        vector[flipped] ^= 1
        free_at[flipped] = step + rng.randint(3, 3 + max(2, n // 4))
    return None
