"""Finite groups as permutations, and their real irreducible representations, computed numerically.

Most of the best known spherical codes are symmetric (Wang 2009, Finding and investigating exact spherical codes; Cohn's
table of spherical codes).

A permutation of d letters, the numbers 0 to d - 1, is stored as the tuple of the images of the letters. A group is
stored as its multiplication table. Each element of a group has an index from 0, and element 0 is the identity. The
order of a group is the count of its elements. The irreducible representations of a group are computed from the
eigenspaces of a random symmetric matrix that commutes with the regular representation (Dixon 1970, Computing
irreducible representations of finite groups). The units modulo m are the numbers from 1 to m that have no common factor
with m.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from math import exp, gcd, lcm, log

import numpy as np
from numpy.typing import NDArray

from protosphere.types import Indices

Permutation = tuple[int, ...]
Matrices = NDArray[np.float64]

HASH_BASE = 48271
HASH_MODULUS = 2147483647

EIGENVALUE_GAP = 1e-8
"""Relative difference above which two eigenvalues belong to different eigenspaces."""

PRIME_POWERS = ((2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (5, 2))
"""Pairs (p, k) of the elementary abelian groups of order p^k that the search tries."""

SMALL_GROUPS = {
    "A4": [(1, 2, 0, 3), (1, 0, 3, 2)],
    "S4": [(1, 2, 3, 0), (1, 0, 2, 3)],
    "A5": [(1, 2, 3, 4, 0), (1, 2, 0, 3, 4)],
    "S5": [(1, 2, 3, 4, 0), (1, 0, 2, 3, 4)],
    "PSL(2,7)": [(1, 2, 3, 4, 5, 6, 0), (1, 0, 4, 3, 2, 5, 6)],
    "Q8": [(1, 2, 3, 0, 5, 6, 7, 4), (4, 7, 6, 5, 2, 1, 0, 3)],
    "AGL(1,8)": [(1, 0, 3, 2, 5, 4, 7, 6), (0, 2, 4, 6, 3, 1, 7, 5)],
    "AGL(1,9)": [(1, 2, 0, 4, 5, 3, 7, 8, 6), (0, 3, 6, 7, 1, 4, 5, 8, 2)],
}
"""Generators of small groups by name. Each generator is a permutation."""

DIHEDRAL_PROBABILITY = 0.3
"""Probability that `random_rational_group` draws a dihedral group rather than a cyclic group."""

DOUBLED_GROUPS = ("A4", "S4", "A5", "Q8")
"""Names of small groups. The search also tries their direct products with the cyclic group of order 2."""


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group. Element 0 is the identity.

    Attributes:
        table: The multiplication table: `table[g, h]` is the index of the product of the elements with the indices g
            and h.
        irreducibles: One array for each real irreducible representation. It has the shape (order, d, d), with an
            orthogonal d x d matrix for each element of the group, where order is the count of elements. The tuple is
            empty if the function that made the group also returned an (n, n) matrix for each element.
        subgroups: One subgroup from each conjugacy class of cyclic subgroups, and the whole group. A subgroup is a
            sorted tuple of the indices of its elements.
    """

    table: Indices
    irreducibles: tuple[Matrices, ...]
    subgroups: tuple[tuple[int, ...], ...]


def _elements(generators: list[Permutation], limit: int) -> list[Permutation] | None:
    identity = tuple(range(len(generators[0])))
    queue = [identity]
    found = {identity}
    for element in queue:
        for generator in generators:
            image = tuple(generator[i] for i in element)
            if image not in found:
                found.add(image)
                queue.append(image)
        if len(queue) > limit:
            return None
    return queue


def _multiplication_table(elements: list[Permutation]) -> Indices:
    permutations = np.array(elements, dtype=np.int64)
    degree = permutations.shape[1]
    # each permutation has a hash, by which the products are found among the elements
    factors = [pow(HASH_BASE, 1 + i, HASH_MODULUS) for i in range(degree)]
    hash_weights = np.array(factors, dtype=np.int64)
    hashes: Indices = permutations @ hash_weights
    order = np.argsort(hashes)
    product_hashes: Indices = permutations[:, permutations] @ hash_weights
    positions = np.searchsorted(hashes, product_hashes, sorter=order)
    return order[positions]


def _irreducibles(table: Indices) -> tuple[Matrices, ...]:
    values, vectors = np.linalg.eigh(_commuting_matrix(table))
    gaps = np.diff(values) > EIGENVALUE_GAP * np.abs(values).max()
    starts = [0, *(np.flatnonzero(gaps) + 1), len(table)]
    parts: dict[str, Matrices] = {}
    for start, stop in pairwise(starts):
        basis = vectors[:, start:stop]
        matrices = basis[table].transpose(0, 2, 1) @ basis
        parts.setdefault(_character(matrices), matrices)
    return tuple(sorted(parts.values(), key=lambda part: part.shape[1]))


def _commuting_matrix(table: Indices) -> NDArray[np.float64]:
    order = len(table)
    inverse = np.argmin(table, axis=1)
    weights = np.random.default_rng(order).standard_normal(order)
    weights = weights + weights[inverse]
    # entry (g, h) depends only on the element g^-1 h
    return weights[table[inverse]]


def _character(matrices: Matrices) -> str:
    # equivalent representations have the same traces
    traces = " ".join(f"{np.trace(matrix):+.4f}" for matrix in matrices)
    return traces.replace("-0.0000", "+0.0000")


def _cyclic_subgroup(table: Indices, element: int) -> tuple[int, ...]:
    found = [0]
    power = element
    while power != 0:
        found.append(power)
        power = int(table[power, element])
    return tuple(sorted(found))


def _subgroups(table: Indices) -> tuple[tuple[int, ...], ...]:
    order = len(table)
    inverse = np.argmin(table, axis=1)
    # Dictionaries serve as ordered sets: the order decides ties of the sort below.
    cyclic_subgroups = {_cyclic_subgroup(table, g): None for g in range(order)}
    classes: dict[tuple[int, ...], None] = {}
    for cyclic in cyclic_subgroups:
        products = table[table[:, list(cyclic)], inverse[:, None]]
        conjugates = np.sort(products, axis=1)
        representative = min(tuple(map(int, row)) for row in conjugates)
        classes[representative] = None
    whole_group = tuple(range(order))
    classes[whole_group] = None
    return tuple(sorted(classes, key=len))


def _cycle(length: int) -> Permutation:
    return tuple((i + 1) % length for i in range(length))


def _direct_product(
    left: list[Permutation], right: list[Permutation]
) -> list[Permutation]:
    # the letters of the right group come after those of the left group
    left_degree = len(left[0])
    right_degree = len(right[0])
    left_identity = tuple(range(left_degree))
    right_identity = tuple(range(left_degree, left_degree + right_degree))
    generators = [g + right_identity for g in left]
    for g in right:
        shifted = tuple(left_degree + i for i in g)
        generators.append(left_identity + shifted)
    return generators


def _cyclic_unit_groups(modulus: int) -> Iterator[tuple[int, int]]:
    seen: set[frozenset[int]] = set()
    for factor in range(2, modulus):
        if gcd(factor, modulus) > 1:
            continue
        powers = [1]
        power = factor
        while power != 1:
            powers.append(power)
            power = power * factor % modulus
        subgroup = frozenset(powers)
        if subgroup not in seen:
            seen.add(subgroup)
            yield factor, len(powers)  # a generator and the order of the group


def _metacyclic_groups(max_order: int) -> Iterator[tuple[str, list[Permutation]]]:
    for m in range(3, max_order // 2 + 1):
        for factor, order in _cyclic_unit_groups(m):
            if m * order > max_order:
                continue
            # the semidirect product of C_m with a cyclic group of units modulo m
            suffix = f"({factor})" if order > 2 else ""
            multiplication = tuple(factor * i % m for i in range(m))
            yield f"C{m}:C{order}{suffix}", [_cycle(m), multiplication]


@lru_cache(maxsize=4)
def group_names(max_order: int) -> dict[str, list[Permutation]]:
    """Return the names and generators of the cyclic, metacyclic and other small groups that searches try.

    Args:
        max_order: Largest order of cyclic and metacyclic groups. A few of the other groups may be larger.

    Returns:
        A dictionary from the name of each group to a list of permutations that generate the group. A permutation of d
        letters is the tuple of the images of 0, ..., d - 1. "C7" is the cyclic group of order 7, "C2^3" is a product of
        three cyclic groups of order 2, and "S4" is the group of all permutations of 4 letters. "C7:C3(2)" is the
        metacyclic group of order 21 in which a generator of C3 multiplies the letters of C7 by 2.
    """
    generators = {f"C{m}": [_cycle(m)] for m in range(2, max_order + 1)}
    generators.update(_metacyclic_groups(max_order))
    for prime, exponent in PRIME_POWERS:
        factors = [[_cycle(prime)]] * exponent
        generators[f"C{prime}^{exponent}"] = reduce(_direct_product, factors)
    generators.update(SMALL_GROUPS)
    for name in DOUBLED_GROUPS:
        doubled = _direct_product([_cycle(2)], SMALL_GROUPS[name])
        generators[f"C2x{name}"] = doubled
    return generators


@lru_cache(maxsize=256)
def group(name: str, max_order: int) -> Group | None:
    """Return the group with a given name, or None if it has more than `max_order` elements.

    Args:
        name: Name of the group, such as "C7" or "S4". It must be a key of the dictionary that
            `group_names(max_order)` returns; some of these groups may have more than `max_order` elements.
        max_order: Largest number of elements accepted.
    """
    generators = group_names(max_order)[name]
    elements = _elements(generators, max_order)
    if elements is None:
        return None
    table = _multiplication_table(elements)
    return Group(table, _irreducibles(table), _subgroups(table))


def signed_permutation_group(
    generators: list[Permutation], max_order: int
) -> tuple[Group, Matrices] | None:
    """Return the group that signed permutations generate and its matrices, or None if it has over `max_order` elements.

    A signed permutation of n coordinates permutes the coordinates and changes the sign of some of them.

    Args:
        generators: Permutations of 2n letters: letter 2i stands for the unit vector e_i, and letter 2i + 1 for -e_i. A
            permutation is the tuple of the images of the letters.
        max_order: Largest order accepted.

    Returns:
        The group, with an empty tuple of irreducible representations, and an (n, n) matrix for each of its elements.
    """
    elements = _elements(generators, max_order)
    if elements is None:
        return None
    table = _multiplication_table(elements)
    images = np.array(elements, dtype=np.int64)[:, ::2]
    order, dim = images.shape
    matrices = np.zeros((order, dim, dim))
    signs = 1.0 - 2 * (images % 2)
    rows = np.arange(order, dtype=np.int64)[:, np.newaxis]
    columns = np.arange(dim, dtype=np.int64)
    matrices[rows, images // 2, columns] = signs
    return Group(table, (), _subgroups(table)), matrices


def random_signed_permutations(
    dim: int, rng: np.random.Generator
) -> tuple[str, list[Permutation]]:
    """Draw generators of a random group of signed permutations of n coordinates.

    The first coordinates are divided into blocks of equal, random length. Fewer coordinates than a block are left over.
    There are one to three generators:

    - The first generator shifts the coordinates of each block cyclically. If it also changes the sign of the coordinate
      that moves from the end of a block to the beginning, the shift is called negacyclic.
    - A second generator may multiply the positions in each block by a constant, modulo the length. It is drawn only for
      cyclic shifts.
    - A last generator may change the sign of all n coordinates.

    The first two generators keep the coordinates that are left over.

    Args:
        dim: Dimension n, at least 2.
        rng: Random generator.

    Returns:
        A name and the generators. A generator is the tuple of the images of 2n letters: letter 2i stands for the unit
        vector e_i, and letter 2i + 1 for -e_i. The name "c7x2.C3.-1" stands for a cyclic shift of 2 blocks of length 7,
        a multiplication of order 3 and the change of all signs. If the shift is negacyclic, the name begins with "n"
        instead of "c".
    """
    length = int(rng.integers(2, dim + 1))
    is_negacyclic = bool(rng.random() < 0.4)
    places = range(length)
    last_sign = int(is_negacyclic)
    shift = [((i + 1) % length, last_sign if i == length - 1 else 0) for i in places]
    num_blocks = dim // length
    generators = [_on_blocks(shift, num_blocks, dim)]
    name = f"{'n' if is_negacyclic else 'c'}{length}x{num_blocks}"
    multipliers = list(_cyclic_unit_groups(length))
    if multipliers and not is_negacyclic and rng.random() < 0.5:
        factor, order = multipliers[rng.integers(len(multipliers))]
        product = [(factor * i % length, 0) for i in places]
        generators.append(_on_blocks(product, num_blocks, dim))
        name += f".C{order}"
    if rng.random() < 0.5:
        generators.append(tuple(letter ^ 1 for letter in range(2 * dim)))
        name += ".-1"
    return name, generators


def _on_blocks(images: list[tuple[int, int]], num_blocks: int, dim: int) -> Permutation:
    # The signed permutation acts on each block alike. If images[i] is (j, sign), the coordinate at position i of each
    # block moves to position j of this block. If the sign is 1, it also changes its sign. Letter 2i stands for e_i, and
    # letter 2i + 1 for -e_i. The coordinates after the last block stay fixed.
    letters = list(range(2 * dim))
    for block in range(num_blocks):
        start = block * len(images)
        for place, (image, sign) in enumerate(images):
            letter = 2 * (start + place)
            letters[letter] = 2 * (start + image) + sign
            letters[letter + 1] = 2 * (start + image) + 1 - sign
    return tuple(letters)


def _factors(order: int, dim: int) -> list[tuple[int, int]]:
    divisors = [d for d in range(1, order + 1) if order % d == 0]
    totients = [sum(gcd(k, d) == 1 for k in range(1, d + 1)) for d in divisors]
    pairs = zip(divisors, totients, strict=True)
    return [(divisor, totient) for divisor, totient in pairs if totient <= dim]


def random_rational_group(
    max_order: int, dim: int, rng: np.random.Generator
) -> tuple[str, Group, Matrices] | None:
    """Draw a cyclic or dihedral group of (n, n) matrices with rational traces, or return None if the group is trivial.

    A cyclic group is generated by a rotation, and a dihedral group by a rotation and a reflection. To build the
    rotation, a random number is drawn. Divisors of this number are then drawn one after another, possibly the same
    divisor several times, until all n coordinates are in use:

    - The divisor 1 uses one coordinate, which stays fixed.
    - The divisor 2 uses one coordinate, which changes its sign.
    - A divisor d > 2 uses two coordinates for each number k < d/2 that has no common factor with d. The rotation turns
      the plane of these two coordinates by the angle 2 pi k / d.

    The reflection of a dihedral group maps each plane to itself and reverses the direction of its rotation. If all
    drawn divisors are 1, the group is trivial.

    Args:
        max_order: Largest random number, at least 2. It bounds the order of the rotation.
        dim: Dimension n.
        rng: Random generator.

    Returns:
        A name, the group and an (n, n) matrix for each of its elements. The name consists of "C" or "D", the order of
        the rotation and the drawn divisors. "C" stands for a cyclic group, and "D" for a dihedral group. For example,
        "C6:1^2.3.6^2" is a cyclic group whose rotation has order 6. The divisors 1 and 6 were drawn twice, and 3 once.
    """
    order = int(exp(rng.uniform(log(2), log(max_order + 1))))
    factors = _factors(order, dim)
    drawn: list[int] = []
    left = dim
    while left > 0:
        fitting = [(d, totient) for d, totient in factors if totient <= left]
        divisor, totient = fitting[rng.integers(len(fitting))]
        drawn.append(divisor)
        left -= totient
    order = lcm(*drawn)
    if order == 1:
        return None
    drawn.sort()
    is_dihedral = order > 2 and bool(rng.random() < DIHEDRAL_PROBABILITY)
    rotation, reflection = _rational_generators(drawn, dim, rng)
    powers = [np.eye(dim)]
    for _ in range(order - 1):
        powers.append(powers[-1] @ rotation)
    matrices = np.stack(powers)
    steps: Indices = np.arange(order, dtype=np.int64)
    table = (steps[:, None] + steps) % order
    if is_dihedral:
        matrices = np.concatenate([matrices, matrices @ reflection])
        back = (steps[:, None] - steps) % order
        table = np.block([[table, table + order], [back + order, back]])
    exponents = Counter(drawn)
    label = ".".join(
        f"{d}^{count}" if count > 1 else str(d) for d, count in exponents.items()
    )
    name = f"{'D' if is_dihedral else 'C'}{order}:{label}"
    return name, Group(table, (), _subgroups(table)), matrices


def _rational_generators(
    divisors: list[int], dim: int, rng: np.random.Generator
) -> tuple[Matrices, Matrices]:
    rotation = np.zeros((dim, dim))
    reflection = np.zeros((dim, dim))
    start = 0
    for divisor in divisors:
        if divisor <= 2:
            rotation[start, start] = 1.0 if divisor == 1 else -1.0
            reflection[start, start] = rng.choice((-1.0, 1.0))
            start += 1
            continue
        for k in range(1, divisor // 2 + 1):
            if gcd(k, divisor) > 1:
                continue
            angle = 2 * np.pi * k / divisor
            cosine = np.cos(angle)
            sine = np.sin(angle)
            stop = start + 2
            rotation[start:stop, start:stop] = [[cosine, -sine], [sine, cosine]]
            reflection[start:stop, start:stop] = [[1.0, 0.0], [0.0, -1.0]]
            start = stop
    return rotation, reflection
