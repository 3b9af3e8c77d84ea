"""Finite groups as permutations, and their real irreducible representations, found numerically.

Best-known spherical codes mostly have symmetry (Wang 2009, Finding and investigating exact spherical codes; Cohn's
table). A group is a table of products; its regular representation is split by a random matrix that commutes with it:
the eigenspaces are its real irreducible parts (Dixon 1970, Computing irreducible representations of groups).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices, Points

Permutation = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group: element 0 is the identity and `table[g, h]` is g h.

    Attributes:
        irreducibles: one (order, d, d) array of orthogonal matrices for each real irreducible representation.
        subgroups: cyclic subgroups up to conjugation, and the whole group, as sorted element numbers.
    """

    name: str
    table: Indices
    irreducibles: tuple[NDArray[np.float64], ...]
    subgroups: tuple[tuple[int, ...], ...]


def _elements(generators: list[Permutation], limit: int) -> list[Permutation] | None:
    """All that the generators generate; None where they are more than `limit`."""
    identity = tuple(range(len(generators[0])))
    found = {identity: None}
    queue = [identity]
    for element in queue:
        for generator in generators:
            image = tuple(generator[i] for i in element)
            if image not in found:
                found[image] = None
                queue.append(image)
        if len(queue) > limit:
            return None
    return queue


def _table(elements: list[Permutation]) -> Indices:
    letters = np.array(elements, dtype=np.int64)
    marks = np.array([pow(48271, 1 + i, 2147483647) for i in range(letters.shape[1])], dtype=np.int64)
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
    commuting = weights[table[inverse]]  # entry (g, h) depends on g^-1 h only: commutes with left multiplication
    values, vectors = np.linalg.eigh(commuting)
    starts = [0, *(np.flatnonzero(np.diff(values) > 1e-8 * np.abs(values).max()) + 1), order]
    parts: dict[str, NDArray[np.float64]] = {}
    for start, stop in pairwise(starts):
        basis = vectors[:, start:stop]
        matrices = basis[table].transpose(0, 2, 1) @ basis
        character = " ".join(f"{np.trace(matrix):+.4f}" for matrix in matrices).replace("-0.0000", "+0.0000")
        parts.setdefault(character, matrices)
    return tuple(sorted(parts.values(), key=lambda part: part.shape[1]))


def _generated(table: Indices, element: int) -> tuple[int, ...]:
    found, power = [0], element
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


def _affine(modulus: int, factor: int) -> list[Permutation]:
    """x -> x + 1 and x -> factor x modulo `modulus`."""
    return [_cycle(modulus), tuple(factor * i % modulus for i in range(modulus))]


def _product(left: list[Permutation], right: list[Permutation]) -> list[Permutation]:
    """The direct product: both act, on disjoint letters."""
    a, b = len(left[0]), len(right[0])
    tail, head = tuple(range(a, a + b)), tuple(range(a))
    return [g + tail for g in left] + [head + tuple(a + i for i in g) for g in right]


def _translations(prime: int, power: int) -> list[Permutation]:
    """The elementary abelian group of order prime**power."""
    generators = [_cycle(prime)]
    for _ in range(power - 1):
        generators = _product(generators, [_cycle(prime)])
    return generators


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


def _named(largest: int) -> Iterator[tuple[str, list[Permutation]]]:
    """Generators of the groups worth trying, of order at most about `largest`."""
    for m in range(2, largest + 1):
        yield f"C{m}", [_cycle(m)]
    for m in range(3, largest // 2 + 1):
        for factor, order in _multipliers(m):
            if m * order <= largest:
                yield f"C{m}:C{order}" + (f"({factor})" if order > 2 else ""), _affine(m, factor)
    for prime, power in ((2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (5, 2)):
        yield f"C{prime}^{power}", _translations(prime, power)
    yield from SMALL_SYMMETRIC.items()
    for name in ("A4", "S4", "A5", "Q8"):
        yield f"C2x{name}", _product([_cycle(2)], SMALL_SYMMETRIC[name])


def _multipliers(modulus: int) -> Iterator[tuple[int, int]]:
    """One generator of every cyclic group of units modulo `modulus`, the trivial one left out, with its order."""
    seen: set[frozenset[int]] = set()
    for factor in range(2, modulus):
        if gcd(factor, modulus) > 1:
            continue
        powers, power = [1], factor
        while power != 1:
            powers.append(power)
            power = power * factor % modulus
        if frozenset(powers) not in seen:
            seen.add(frozenset(powers))
            yield factor, len(powers)


@lru_cache(maxsize=4)
def group_names(largest: int) -> dict[str, list[Permutation]]:
    """The groups of order at most `largest`, by name, as generating permutations."""
    return dict(_named(largest))


@lru_cache(maxsize=256)
def group(name: str, largest: int) -> Group | None:
    """The named group, or None if it has more than `largest` elements."""
    elements = _elements(group_names(largest)[name], largest)
    if elements is None:
        return None
    table = _table(elements)
    return Group(name, table, _irreducibles(table), _subgroups(table))


def representation(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The direct sum of representations: block-diagonal matrices."""
    dim = sum(part.shape[1] for part in parts)
    matrices, start = np.zeros((len(parts[0]), dim, dim)), 0
    for part in parts:
        stop = start + part.shape[1]
        matrices[:, start:stop, start:stop] = part
        start = stop
    return matrices


def fixed_projector(matrices: NDArray[np.float64], subgroup: tuple[int, ...]) -> Points:
    """The orthogonal projector onto what every element of the subgroup fixes."""
    return matrices[list(subgroup)].mean(axis=0)


def coset_representatives(table: Indices, subgroup: tuple[int, ...]) -> list[int]:
    """One element of each left coset g H, the identity first."""
    seen: set[int] = set()
    chosen: list[int] = []
    for element in range(len(table)):
        if element not in seen:
            chosen.append(element)
            seen.update(int(member) for member in table[element, list(subgroup)])
    return chosen
