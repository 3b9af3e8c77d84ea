"""Search for codes whose columns are whole orbits of a group, so that every codeword has enough weight.

The group multiplies vectors of polynomials by x, and may square them. Codewords of an orbit have the same weight, so
a code of 2^16 codewords is some hundred rows of a small matrix. After Braun, Kohnert & Wassermann (2005).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from protosphere.coding.polynomials import degree, multiply, remainder
from protosphere.types import Indices
from tools.linear.workshop import Found

MOST_ENTRIES = 1 << 25
"""Largest number of entries of the matrix of weights."""

SMALL_ORDER = 32
"""Half of the groups multiply by a root of unity of an order below this."""


@lru_cache
def irreducible(m: int) -> list[int]:
    """Return the irreducible factors of x^m - 1 of degree at most 12, for odd m."""
    factors = [f for f in range(3, 1 << 13, 2) if remainder((1 << m) | 1, f) == 0]
    return [
        f for f in factors if not any(g < f and remainder(f, g) == 0 for g in factors)
    ]


@lru_cache
def prime_powers(m: int, most: int) -> list[int]:
    """Return the powers of irreducible polynomials that divide x^m - 1, of at most this degree."""
    multiplicity = m & -m  # the odd part has every factor once
    odd = m // multiplicity
    found: list[int] = []
    for factor in irreducible(odd) if odd > 1 else [3]:
        power = 1
        for _ in range(multiplicity):
            power = multiply(power, factor)
            if degree(power) <= most:
                found.append(power)
    return found


def order_of_x(modulus: int) -> int:
    """Return the smallest m with x^m = 1."""
    power = remainder(2, modulus)
    m = 1
    while power != remainder(1, modulus):
        power = remainder(power << 1, modulus)
        m = m + 1
    return m


def _squared(part: int, times: int, modulus: int) -> int:
    """Return a polynomial to the power 2^times."""
    for _ in range(times):
        part = remainder(multiply(part, part), modulus)
    return part


@dataclass(frozen=True, eq=False)
class OrbitWeights:
    """Orbits of columns of a group, and the weight of each orbit of codewords on each orbit of columns."""

    moduli: tuple[int, ...]
    squarings: int
    representatives: Indices
    sizes: Indices
    weights: NDArray[np.uint8]

    def code(self, chosen: list[int], n: int, d: int) -> Found:
        """Return the code whose columns are these orbits."""
        moduli = _dotted(self.moduli)
        representatives = _dotted(self.representatives[chosen].tolist())
        steps = f"orbits {moduli} {representatives}"
        if self.squarings:
            steps += f" {self.squarings}"
        k = sum(degree(modulus) for modulus in self.moduli)
        return Found(n, k, d, steps)


def _dotted(numbers: Iterable[int]) -> str:
    """Return hexadecimal numbers joined by dots."""
    return ".".join(f"{number:x}" for number in numbers)


def orbit_weights(
    moduli: tuple[int, ...], squarings: int, longest: int
) -> OrbitWeights | None:
    """Return the orbits of at most this length of a group; None if the matrix would be too large."""
    maps = [_columns(moduli, lambda part, modulus: remainder(part << 1, modulus))]
    if squarings:
        maps.append(
            _columns(moduli, lambda part, modulus: _squared(part, squarings, modulus))
        )
    k = len(maps[0])
    points = _orbits(maps, k)
    words = _orbits([_transposed(columns) for columns in maps], k)
    sizes = np.bincount(points)[1:]
    order = np.argsort(points, kind="stable")[1:]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    first_words = np.unique(words, return_index=True)[1][1:]
    if (
        len(first_words) << k > MOST_ENTRIES * 8
        or len(first_words) * len(sizes) > MOST_ENTRIES
    ):
        return None
    columns: list[Indices] = []
    for word in first_words:
        parities = np.bitwise_count(order & word).astype(np.uint8) & 1
        columns.append(np.add.reduceat(parities, starts, dtype=np.int64))
    weights = np.stack(columns).T
    short = np.flatnonzero(sizes <= longest)
    return OrbitWeights(
        moduli,
        squarings,
        order[starts][short],
        sizes[short],
        weights[short].astype(np.uint8),
    )


def _columns(moduli: tuple[int, ...], function) -> list[int]:
    """Return the images of the unit vectors under a function of each part and its modulus."""
    made = []
    place = 0
    for modulus in moduli:
        made += [function(1 << i, modulus) << place for i in range(degree(modulus))]
        place += degree(modulus)
    return made


def _transposed(columns: list[int]) -> list[int]:
    return [
        sum((column >> i & 1) << j for j, column in enumerate(columns))
        for i in range(len(columns))
    ]


def _orbits(maps: list[list[int]], k: int) -> Indices:
    """Return the index of the orbit of each vector under the maps; the orbit of 0 has index 0."""
    every = np.arange(1 << k)
    images = []
    for columns in maps:
        image = np.zeros_like(every)
        for i, column in enumerate(columns):
            image ^= np.where(every >> i & 1, column, 0)
        images.append(image)
    ends = np.concatenate(images)
    graph = coo_array(
        (np.ones(len(ends), dtype=np.int8), (np.tile(every, len(maps)), ends)),
        (1 << k, 1 << k),
    )
    return connected_components(graph, directed=False)[1].astype(np.int64)


def random_group(
    k: int, rng: random.Random, most_orbits: int
) -> tuple[tuple[int, ...], int]:
    """Return random moduli of total degree k and a number of squarings: a group with at most `most_orbits` orbits.

    Half of the groups have a small order and most moduli several times; their codes have several generators.
    """
    while True:
        m = rng.randrange(3, SMALL_ORDER if rng.random() < 0.5 else 128)
        moduli: list[int] = []
        while (left := k - sum(map(degree, moduli))) > 0:
            fitting = [f for f in prime_powers(m, k) if degree(f) <= left]
            large = [f for f in fitting if degree(f) >= min(3, left)]
            prefers_large = large and rng.random() < 0.8
            moduli.append(rng.choice(large if prefers_large else fitting))
        moduli.sort()
        order = lcm(*map(order_of_x, moduli))
        powers = lcm(*map(degree, moduli))
        divisors = [s for s in range(1, powers + 1) if powers % s == 0]
        squarings = rng.choice(divisors) % powers
        if m % 2 == 0:  # squaring is not invertible modulo a square
            squarings = 0
        size = order * (powers // squarings if squarings else 1)
        if order > 1 and (1 << k) // size <= most_orbits and moduli.count(3) <= 3:
            return tuple(moduli), squarings


def compositions(sizes: Indices, n: int, rng: random.Random) -> Iterator[list[int]]:
    """Yield lists of orbit sizes with sum n: first with as many long orbits as possible, then random lists."""
    kinds = sorted(set(sizes.tolist()), reverse=True)
    for trial in range(4):
        left = n
        chosen = []
        for size in kinds:
            if trial == 0 or rng.random() < 0.5:
                count = left // size
            else:
                count = rng.randint(0, left // size)
            chosen += [size] * count
            left -= count * size
        if left == 0 and len(chosen) <= 16:
            yield chosen


def chosen_orbits(
    group: OrbitWeights, lengths: list[int], d: int, steps: int, rng: random.Random
) -> list[int] | None:
    """Return orbits of these lengths on which every codeword has weight d or more; None if the search finds none.

    Each step of the tabu search exchanges one orbit. Among the orbits that were not used recently, it takes the orbit
    that leaves the smallest sum of squared deficits.
    """
    kinds = {size: np.flatnonzero(group.sizes == size) for size in set(lengths)}
    now = [int(rng.choice(kinds[size])) for size in lengths]
    sums = group.weights[now].sum(axis=0, dtype=np.int64)
    free_at = np.zeros(len(group.sizes), dtype=np.int64)
    for step in range(steps):
        place = rng.randrange(len(now))
        others = kinds[lengths[place]]
        rest = sums - group.weights[now[place]]
        light = np.flatnonzero(rest < d)
        free_at[now[place]] = step + 1 + rng.randint(1, 2 + len(now))
        allowed = others[free_at[others] <= step]
        if not len(allowed):
            continue
        deficits = np.clip(
            (d - rest[light]) - group.weights[np.ix_(allowed, light)].astype(np.int64),
            0,
            None,
        )
        penalties = (deficits * deficits).sum(axis=1)
        now[place] = int(allowed[penalties.argmin()])
        sums = rest + group.weights[now[place]]
        if penalties.min() == 0:
            return now
    return None
