"""Finite groups as permutations, and their real irreducible representations, found numerically.

Best-known spherical codes mostly have symmetry (Wang 2009, Finding and investigating exact spherical codes; Cohn's
table). A group is a table of products; its regular representation is split by a random matrix that commutes with it:
the eigenspaces are its real irreducible parts (Dixon 1970, Computing irreducible representations of groups).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices

Permutation = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group: element 0 is the identity and `table[g, h]` is g h.

    Attributes:
        irreducibles: one (order, d, d) array of orthogonal matrices for each real irreducible representation.
        subgroups: cyclic subgroups up to conjugation, and the whole group, as sorted element numbers.
    """

    table: Indices
    irreducibles: tuple[NDArray[np.float64], ...]
    subgroups: tuple[tuple[int, ...], ...]


def _elements(generators: list[Permutation], limit: int) -> list[Permutation] | None:
    """All that the generators generate; None where they are more than `limit`."""
    queue = [tuple(range(len(generators[0])))]
    found = set(queue)
    for element in queue:
        for generator in generators:
            image = tuple(generator[i] for i in element)
            if image not in found:
                found.add(image)
                queue.append(image)
        if len(queue) > limit:
            return None
    return queue


def _table(elements: list[Permutation]) -> Indices:
    letters = np.array(elements, dtype=np.int64)
    marks = np.array(
        [pow(48271, 1 + i, 2147483647) for i in range(letters.shape[1])], dtype=np.int64
    )
    hashes: Indices = letters @ marks
    order = np.argsort(hashes)
    products: Indices = letters[:, letters] @ marks
    return order[np.searchsorted(hashes, products, sorter=order)]


def _irreducibles(table: Indices) -> tuple[NDArray[np.float64], ...]:
    """The different real irreducible parts of the regular representation, each once."""
    order = len(table)
    inverse = np.argmin(table, axis=1)
    weights = np.random.default_rng(order).standard_normal(order)
    weights = weights + weights[inverse]
    commuting = weights[
        table[inverse]
    ]  # entry (g, h) depends on g^-1 h only: commutes with left multiplication
    values, vectors = np.linalg.eigh(commuting)
    starts = [
        0,
        *(np.flatnonzero(np.diff(values) > 1e-8 * np.abs(values).max()) + 1),
        order,
    ]
    parts: dict[str, NDArray[np.float64]] = {}
    for start, stop in pairwise(starts):
        basis = vectors[:, start:stop]
        matrices = basis[table].transpose(0, 2, 1) @ basis
        character = " ".join(f"{np.trace(matrix):+.4f}" for matrix in matrices).replace(
            "-0.0000", "+0.0000"
        )
        parts.setdefault(character, matrices)
    return tuple(sorted(parts.values(), key=lambda part: part.shape[1]))


def _generated(table: Indices, element: int) -> tuple[int, ...]:
    found = [0]
    power = element
    while power != 0:
        found.append(power)
        power = int(table[power, element])
    return tuple(sorted(found))


def _subgroups(table: Indices) -> tuple[tuple[int, ...], ...]:
    inverse = np.argmin(table, axis=1)
    classes: dict[tuple[int, ...], None] = {}
    for cyclic in {_generated(table, element): None for element in range(len(table))}:
        conjugates = np.sort(table[table[:, list(cyclic)], inverse[:, None]], axis=1)
        classes[min(tuple(map(int, row)) for row in conjugates)] = None
    classes[tuple(range(len(table)))] = None
    return tuple(sorted(classes, key=len))


def _cycle(length: int) -> Permutation:
    return tuple((i + 1) % length for i in range(length))


def _product(left: list[Permutation], right: list[Permutation]) -> list[Permutation]:
    """The direct product: both act, on disjoint letters."""
    a = len(left[0])
    b = len(right[0])
    tail = tuple(range(a, a + b))
    head = tuple(range(a))
    return [g + tail for g in left] + [head + tuple(a + i for i in g) for g in right]


SMALL_SYMMETRIC = {
    "A4": [(1, 2, 0, 3), (1, 0, 3, 2)],
    "S4": [(1, 2, 3, 0), (1, 0, 2, 3)],
    "A5": [(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)],
    "S5": [(1, 2, 3, 4, 0), (1, 0, 2, 3, 4)],
    "PSL(2,7)": [(1, 2, 3, 4, 5, 6, 0), (1, 0, 4, 3, 2, 5, 6)],
    "Q8": [(1, 2, 3, 0, 5, 6, 7, 4), (4, 7, 6, 5, 2, 1, 0, 3)],
    "AGL(1,8)": [(1, 0, 3, 2, 5, 4, 7, 6), (0, 2, 4, 6, 3, 1, 7, 5)],
    "AGL(1,9)": [(1, 2, 0, 4, 5, 3, 7, 8, 6), (0, 3, 6, 7, 1, 4, 5, 8, 2)],
}


def _multipliers(modulus: int) -> Iterator[tuple[int, int]]:
    """One generator of every cyclic group of units modulo `modulus`, the trivial one left out, with its order."""
    seen: set[frozenset[int]] = set()
    for factor in range(2, modulus):
        if gcd(factor, modulus) > 1:
            continue
        powers = [1]
        power = factor
        while power != 1:
            powers.append(power)
            power = power * factor % modulus
        if frozenset(powers) not in seen:
            seen.add(frozenset(powers))
            yield factor, len(powers)


@lru_cache(maxsize=4)
def group_names(largest: int) -> dict[str, list[Permutation]]:
    """Generators of the groups worth trying, of order at most about `largest`, by name."""
    named = {f"C{m}": [_cycle(m)] for m in range(2, largest + 1)}
    for m in range(3, largest // 2 + 1):
        for factor, order in _multipliers(m):
            if m * order <= largest:
                times = tuple(factor * i % m for i in range(m))
                named[f"C{m}:C{order}" + (f"({factor})" if order > 2 else "")] = [
                    _cycle(m),
                    times,
                ]
    for prime, power in ((2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (5, 2)):
        named[f"C{prime}^{power}"] = reduce(_product, [[_cycle(prime)]] * power)
    doubled = {
        f"C2x{name}": _product([_cycle(2)], SMALL_SYMMETRIC[name])
        for name in ("A4", "S4", "A5", "Q8")
    }
    return named | SMALL_SYMMETRIC | doubled


@lru_cache(maxsize=256)
def group(name: str, largest: int) -> Group | None:
    """The named group, or None if it has more than `largest` elements."""
    elements = _elements(group_names(largest)[name], largest)
    if elements is None:
        return None
    table = _table(elements)
    return Group(table, _irreducibles(table), _subgroups(table))
