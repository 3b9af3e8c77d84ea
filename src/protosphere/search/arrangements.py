"""Random symmetries of codes of K points in R^n.

Terms of codes with a symmetry group, which is a group of orthogonal n x n matrices:

- The orbit of a point consists of its images under all matrices of the group. A code with a symmetry group is a union
  of orbits. From each orbit, one point is chosen as its representative.
- The stabilizer of a point is the subgroup of the matrices that keep the point fixed. Orbits are of the same type if
  their representatives have the same stabilizer. The size of an orbit is the count of its points. All orbits of a type
  have the same size.
- The coset matrices of a type are matrices of the group. Each point of an orbit is the image of the representative by
  exactly one of them. The first coset matrix is the identity.
- An arrangement is a group, together with the count of orbits of each type. An arrangement and one representative of
  each orbit determine a code.
- A parent is a code of K to 1.25 K points with a symmetry group. Its surplus points are removed after a descent.
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
"""Largest number of elements of a drawn group, except cyclic and dihedral groups with rational characters."""

MIN_SQUARED_DISTANCE = 1e-6
"""Largest squared distance at which two points of an orbit count as equal."""

MAX_PARENT_RATIO = 1.25
"""Largest number of points, relative to K, of a parent code: a symmetric code from which points are removed."""

FAMILY_PROBABILITIES = (0.45, 0.3, 0.25)
"""Probabilities of drawing a cyclic group, a metacyclic group or another group from the groups of `group_names`."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A group of orthogonal n x n matrices, described by the types of its orbits.

    The orbit of a point consists of its images under all matrices of the group. One point of each orbit is chosen as
    its representative. Orbits are of the same type if the same matrices of the group, called the stabilizer, keep their
    representatives fixed.

    Attributes:
        name: The name of the group.
        cosets: For each type, a (size, n, n) array of matrices of the group, called coset matrices, where size is the
            count of points of each orbit of this type. The matrices map a representative to the points of its orbit:
            each point is the image by exactly one matrix. The first matrix is the identity.
        projectors: For each type, the (n, n) orthogonal projector onto the points that the stabilizer fixes.
    """

    name: str
    cosets: tuple[Matrices, ...]
    projectors: tuple[Points, ...]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A symmetry group of codes, and the count of orbits of each type.

    The orbit of a point consists of its images under all matrices of the group. One point of each orbit is chosen as
    its representative. Orbits are of the same type if the same matrices of the group, called the stabilizer, keep their
    representatives fixed. The arrangement of a code, together with one representative of each orbit, determines all
    points of the code.

    Attributes:
        name: The name of the group, followed by the counts and the sizes of the orbits. For example, "C7 2x7+1x1" means
            the cyclic group C7, two orbits of 7 points and one orbit of 1 point.
        symmetry: The group and all types of its orbits, including types that the code does not use.
        counts: For each type that the code uses, the count of orbits.
        cosets: For each type that the code uses, a (size, n, n) array of matrices of the group, where size is the count
            of points of each orbit of this type. The matrices map a representative to the points of its orbit: each
            point is the image by exactly one matrix. The first matrix is the identity.
        projectors: For each type that the code uses, the (n, n) orthogonal projector onto the points that the
            stabilizer fixes. The representatives of the type are such points.
    """

    name: str
    symmetry: Symmetry
    counts: tuple[int, ...]
    cosets: tuple[Matrices, ...]
    projectors: tuple[Points, ...]

    @property
    def sizes(self) -> list[int]:
        """For each orbit, the count of its points.

        All orbits of the first type come first, then all orbits of the second type, and so on.
        """
        sizes: list[int] = []
        for count, matrices in zip(self.counts, self.cosets, strict=True):
            sizes.extend([len(matrices)] * count)
        return sizes

    def points(self, representatives: Points) -> Points:
        """Return all points of the code with the given representatives.

        Args:
            representatives: (m, n) matrix with one point of each of the m orbits. All orbits of the first type come
                first, then all orbits of the second type, and so on.

        Returns:
            The (K, n) points, orbit after orbit.
        """
        orbits: list[Points] = []
        left = iter(representatives)
        for count, matrices in zip(self.counts, self.cosets, strict=True):
            orbits.extend(matrices @ next(left) for _ in range(count))
        return np.concatenate(orbits)

    def random_representatives(
        self, batch: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Draw random unit vectors as representatives, one for each of the m orbits.

        A representative is uniformly distributed on the unit vectors that the stabilizer of its orbit keeps fixed.

        Args:
            batch: Number B of sets of representatives.
            rng: Random generator.

        Returns:
            A (B, m, n) array with B sets of m representatives.
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
"""Largest number of rotations in a drawn cyclic or dihedral group with rational characters."""


def _random_family(rng: np.random.Generator, names: list[str]) -> list[str]:
    # cyclic groups, metacyclic groups or all other groups
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
    # the matrices are direct sums of random irreducible representations
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
    # pairs of coset matrices and the projector onto the points that the stabilizer fixes
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
        # otherwise, the subgroup is not the whole stabilizer of the point
        if np.all(squared_distances > MIN_SQUARED_DISTANCE):
            types.append((cosets, projector))
    return types


def _random_composition(
    sizes: list[int], max_counts: list[int], total: int, rng: np.random.Generator
) -> list[int] | None:
    # None if points are missing but no further orbit fits
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
    # None if the drawn family is empty, or if the drawn group has too many elements
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
    """Draw a random symmetry group for codes of K points in R^n, and the count of orbits of each type.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator.

    Returns:
        The group and the counts of orbits. The orbits have K points in all. None if the attempt fails, for example
        because the drawn orbits have fewer than K points, and no further orbit fits.
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
    # None if the attempt fails
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
    """Draw the count of orbits of each type for codes of K points with a given symmetry group.

    Args:
        symmetry: The group and the types of its orbits.
        num_points: Number K of points.
        rng: Random generator.

    Returns:
        The group and the counts of orbits. The orbits have K points in all. None if the drawn orbits have fewer than K
        points, and no further orbit fits.
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
    """Draw a random symmetry group for codes of K to 1.25 K points in R^n, and the count of orbits of each type.

    The number of points of these codes is drawn first. Surplus points can be removed from such a code until K points
    are left.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator.

    Returns:
        The group and the counts of orbits. The orbits have K to 1.25 K points in all. None if the attempt fails, for
        example because the drawn orbits have too few points, and no further orbit fits.
    """
    largest = int(MAX_PARENT_RATIO * num_points)
    size = int(rng.integers(num_points, largest + 1))
    return random_arrangement(size, dim, rng)
