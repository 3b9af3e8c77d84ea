"""One dimension more from a vector that is far from every word of a code: a deep hole, found by tabu search."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import numpy as np

from protosphere.coding.derivations import Bits
from protosphere.coding.linear import codewords, pack, unpack
from tools.linear.workshop import Found, Workshop

MOST_ENTRIES = 1 << 22
"""Of the matrix of all words."""

STEPS = 200
TRIALS = 3


def lengthened_codes(
    base: Found,
    bits: Bits,
    workshop: Workshop,
    targets: Mapping[tuple[int, int], int],
    rng: random.Random,
) -> Iterator[Found]:
    """[n, k + 1] and [n + 1, k + 1] codes that reach their targets, a row being added to the base."""
    for more in (0, 1):
        cell = base.n + more, base.k + 1
        target = targets.get(cell, 0)
        small = base.n << base.k <= MOST_ENTRIES
        if not small or workshop.d(*cell) >= target or base.d < target:
            continue
        words = unpack(codewords(pack(bits), 1 << base.k), base.n)
        holes = (deep_hole(words, target - more, rng) for _ in range(TRIALS))
        hole = next((hole for hole in holes if hole is not None), None)
        if hole is not None:
            row = sum(1 << j for j in np.flatnonzero(hole).tolist()) | more << base.n
            yield base.then(
                *cell, target, f"{'columns 0, ' if more else ''}rows {row:x}"
            )


def deep_hole(words: Bits, distance: int, rng: random.Random) -> Bits | None:
    """A vector at least so far from every word; None where none is found.

    A bit at a time is flipped, the one that leaves the least sum of squared deficits, of those that were not just now.
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
