"""Random symmetries of codes: a group, its action on R^n, and numbers of orbits of each size that add up to K points.

A code with a symmetry group is a union of orbits. An orbit consists of the images of one point, its representative. The
size of the orbit depends on the stabilizer of the representative: the subgroup that keeps the representative fixed.
Orbits with the same stabilizer are of the same type.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.search.groups import (
    Group,
    group,
    group_names,
    random_rational_group,
    random_signed_permutations,
    signed_permutation_group,
)
from protosphere.types import Points

Matrices = NDArray[np.float64]

MAX_GROUP_ORDER = 168

MIN_SQUARED_DISTANCE = 1e-6
"""Largest squared distance at which two images of a point count as equal."""

MAX_PARENT_RATIO = 1.25
"""Largest number of points, relative to K, of a parent code: a symmetric code from which points are removed."""

FAMILY_PROBABILITIES = (0.45, 0.3, 0.25)
"""Probabilities of cyclic, metacyclic and other groups among the groups of `group_names`."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A group that acts on R^n, described by the types of its orbits.

    Attributes:
        name: The name of the group.
        cosets: For each type, the (size, n, n) matrices that map a representative to the points of its orbit, the
            identity first.
        projectors: For each type, the (n, n) projector onto the space of points that the stabilizer fixes.
    """

    name: str
    cosets: tuple[Matrices, ...]
    projectors: tuple[Points, ...]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The symmetry of a code: the number of orbits of each type, and the matrices that generate these orbits.

    The points of a code are determined by its arrangement and one representative for each orbit.

    Attributes:
        name: The name of the group, followed by the numbers and the sizes of the orbits.
        symmetry: The group and all types of its orbits.
        counts: For each type, the number of orbits.
        cosets: For each type, the (size, n, n) matrices that map a representative to the points of its orbit, the
            identity first.
        projectors: For each type, the (n, n) projector onto the space of points that the stabilizer fixes. The
            representatives are in this space.
    """

    name: str
    symmetry: Symmetry
    counts: tuple[int, ...]
    cosets: tuple[Matrices, ...]
    projectors: tuple[Points, ...]

    @property
    def sizes(self) -> list[int]:
        """The number of points in the orbit of each representative."""
        sizes: list[int] = []
        for count, matrices in zip(self.counts, self.cosets, strict=True):
            sizes.extend([len(matrices)] * count)
        return sizes

    def points(self, representatives: Points) -> Points:
        """Return all points of the code with the given representatives, orbit after orbit.

        Args:
            representatives: (m, n) representatives of the orbits.
        """
        orbits: list[Points] = []
        left = iter(representatives)
        for count, matrices in zip(self.counts, self.cosets, strict=True):
            orbits.extend(matrices @ next(left) for _ in range(count))
        return np.concatenate(orbits)

    def random_representatives(
        self, batch: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return random unit representatives of all m orbits, uniformly distributed on the sphere of their space.

        Args:
            batch: Number B of sets of representatives.
            rng: Random generator.

        Returns:
            A (B, m, n) array.
        """
        blocks: list[NDArray[np.float64]] = []
        for count, projector in zip(self.counts, self.projectors, strict=True):
            gaussian = rng.standard_normal((batch, count, len(projector)))
            blocks.append(gaussian @ projector)
        rows = np.concatenate(blocks, axis=1)
        return rows / np.linalg.norm(rows, axis=2, keepdims=True)


RATIONAL_PROBABILITY = 0.5
"""Probability of drawing a cyclic or dihedral group whose characters are rational (`random_rational_group`)."""

SIGNED_PROBABILITY = 0.2
"""Probability of drawing a group of signed permutations of the coordinates."""

MAX_RATIONAL_ORDER = 60
"""Largest order of the rotation in a cyclic or dihedral group with rational characters."""


def _random_family(rng: np.random.Generator, names: list[str]) -> list[str]:
    """Draw a family of groups, so that the many cyclic groups do not dominate."""
    cyclic: list[str] = []
    metacyclic: list[str] = []
    others: list[str] = []
    for name in names:
        if name[0] == "C" and name[1:].isdigit():
            cyclic.append(name)
        elif ":" in name:
            metacyclic.append(name)
        else:
            others.append(name)
    families = [cyclic, metacyclic, others]
    return families[rng.choice(3, p=FAMILY_PROBABILITIES)]


def _is_trivial(representation: Matrices) -> bool:
    return representation.shape[1] == 1 and np.allclose(representation, 1)


def _random_action(symmetry: Group, dim: int, rng: np.random.Generator) -> Matrices:
    """Draw a sum of irreducible representations of total dimension `dim`, mostly distinct and few of them trivial."""
    trivial = next(part for part in symmetry.irreducibles if _is_trivial(part))
    nontrivial = [part for part in symmetry.irreducibles if part is not trivial]
    matrices = np.zeros((len(symmetry.table), dim, dim))
    start = 0
    remaining: list[int] = []
    while start < dim:
        room = dim - start
        fitting = [i for i in remaining if nontrivial[i].shape[1] <= room]
        if not fitting:
            shuffled = map(int, rng.permutation(len(nontrivial)))
            fitting = [i for i in shuffled if nontrivial[i].shape[1] <= room]
            remaining = fitting
        part = trivial
        if fitting and not (room <= 2 and rng.random() < 0.5):
            chosen = fitting[0]
            part = nontrivial[chosen]
            remaining.remove(chosen)
        stop = start + part.shape[1]
        matrices[:, start:stop, start:stop] = part
        start = stop
    return matrices


def _orbit_types(
    symmetry: Group, matrices: Matrices, rng: np.random.Generator
) -> list[tuple[Matrices, Points]]:
    """Return the coset matrices and the projector of each subgroup that is the whole stabilizer of some point."""
    types: list[tuple[Matrices, Points]] = []
    for subgroup in symmetry.subgroups:
        members = list(subgroup)
        projector = matrices[members].mean(axis=0)  # onto the fixed space
        if np.trace(projector) < 0.5:
            continue
        coset_minima = symmetry.table[:, members].min(axis=1)
        cosets = matrices[np.unique(coset_minima)]  # one element of each coset
        point = projector @ rng.standard_normal(len(projector))
        images = cosets @ point
        squared_distances = np.sum((images[1:] - images[0]) ** 2, axis=1)
        if np.all(squared_distances > MIN_SQUARED_DISTANCE):
            types.append((cosets, projector))
    return types


def _random_composition(
    sizes: list[int], max_counts: list[int], total: int, rng: np.random.Generator
) -> list[int] | None:
    """Draw numbers of orbits of each size whose points add up to `total`; None if the drawn sizes leave a remainder."""
    counts = [0] * len(sizes)
    while total > 0:
        fitting = [
            i
            for i, size in enumerate(sizes)
            if size <= total and counts[i] < max_counts[i]
        ]
        if not fitting:
            return None
        weights = np.array([float(sizes[i]) ** 2 for i in fitting])
        chosen = fitting[rng.choice(len(fitting), p=weights / weights.sum())]
        counts[chosen] += 1
        total -= sizes[chosen]
    return counts


def _random_group(
    num_points: int, rng: np.random.Generator
) -> tuple[str, Group] | None:
    """Draw a group of order at most K, and return its name and the group; None if the family has no such group."""
    max_order = max(2, min(num_points, MAX_GROUP_ORDER))
    family = _random_family(rng, list(group_names(max_order)))
    if not family:
        return None
    name = family[rng.integers(len(family))]
    symmetry = group(name, max_order)
    if symmetry is None:
        return None
    return name, symmetry


def random_arrangement(
    num_points: int, dim: int, rng: np.random.Generator
) -> Arrangement | None:
    """Draw a random symmetry of codes of K points in R^n.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator.

    Returns:
        The arrangement; None if no arrangement results, for example if the drawn orbit sizes do not add up to K.
    """
    drawn = _random_symmetry(num_points, dim, rng)
    if drawn is None:
        return None
    name, symmetry, action = drawn
    types = _orbit_types(symmetry, action, rng)
    if max((len(cosets) for cosets, _ in types), default=0) < 2:
        return None
    all_cosets, projectors = zip(*types, strict=True)
    return rearranged(Symmetry(name, all_cosets, projectors), num_points, rng)


def _random_symmetry(
    num_points: int, dim: int, rng: np.random.Generator
) -> tuple[str, Group, Matrices] | None:
    """Draw a group and its action on R^n; None if the drawn group is too large or trivial."""
    kind = rng.random()
    if kind < RATIONAL_PROBABILITY:
        max_order = max(2, min(num_points, MAX_RATIONAL_ORDER))
        return random_rational_group(max_order, dim, rng)
    if kind < RATIONAL_PROBABILITY + SIGNED_PROBABILITY:
        name, generators = random_signed_permutations(dim, rng)
        found = signed_permutation_group(generators, min(num_points, MAX_GROUP_ORDER))
        if found is None:
            return None
        return name, *found
    drawn = _random_group(num_points, rng)
    if drawn is None:
        return None
    name, symmetry = drawn
    return name, symmetry, _random_action(symmetry, dim, rng)


def rearranged(
    symmetry: Symmetry, num_points: int, rng: np.random.Generator
) -> Arrangement | None:
    """Draw numbers of orbits of a symmetry that add up to K points.

    Args:
        symmetry: The group and the types of its orbits.
        num_points: Number K of points.
        rng: Random generator.

    Returns:
        The arrangement; None if the drawn orbit sizes do not add up to K.
    """
    sizes = [len(cosets) for cosets in symmetry.cosets]
    # A space of one dimension has room for two points only.
    max_counts = [
        2 if np.trace(projector) < 1.5 else num_points
        for projector in symmetry.projectors
    ]
    counts = _random_composition(sizes, max_counts, num_points, rng)
    if counts is None:
        return None
    used = [i for i, count in enumerate(counts) if count]
    label = "+".join(f"{counts[i]}x{sizes[i]}" for i in used)
    return Arrangement(
        name=f"{symmetry.name} {label}",
        symmetry=symmetry,
        counts=tuple(counts[i] for i in used),
        cosets=tuple(symmetry.cosets[i] for i in used),
        projectors=tuple(symmetry.projectors[i] for i in used),
    )


def random_parent(
    num_points: int, dim: int, rng: np.random.Generator
) -> Arrangement | None:
    """Draw a random symmetry of codes of K to 1.25 K points in R^n, from which points can be removed.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator.

    Returns:
        The arrangement; None if no arrangement results, for example if the drawn orbit sizes do not add up.
    """
    largest = int(MAX_PARENT_RATIO * num_points)
    size = int(rng.integers(num_points, largest + 1))
    return random_arrangement(size, dim, rng)
