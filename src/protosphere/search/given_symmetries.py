"""Symmetric variations of given codes.

Many given codes are very symmetric, and good codes of a similar size often share some of their symmetries. A variation
of a given code is a code of about K points in R^n that keeps some of the symmetries. A variation is computed in these
steps:

1. Find isometries of the given code: orthogonal matrices that map the code to itself.
2. Generate a small group from powers of isometries.
3. Reduce the code to n dimensions along directions that the group fixes.
4. Divide the points into orbits of the group.
5. Remove some orbits of crowded points, which have many near neighbors.
6. Add new orbits in holes, which are places far from all points.

The orbit of a point consists of its images under all matrices of the group. From each orbit, one point is chosen as its
representative. The stabilizer of a point is the subgroup of the matrices that keep the point fixed. Orbits are of the
same type if their representatives have the same stabilizer. An arrangement is a group, together with the count of
orbits of each type. An arrangement and one representative of each orbit determine a code.
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from protosphere.geometry.sphere import normalized, padded, uniform_points
from protosphere.search.arrangements import Arrangement, Symmetry
from protosphere.types import Indices, Points

Matrices = NDArray[np.float64]

MAX_ISOMETRIES = 6
"""Largest number of searches for an isometry of each given code, successful or not."""

MAX_NODES = 300
"""Number of partial isometries that are tried before a search for an isometry is given up."""

MAX_BRANCHES = 3
"""Largest number of images that are tried for a basis point while the images of earlier basis points stay the same."""

MAX_GRAM_POINTS = 2500
"""Largest number of points of a given code of which variations are drawn."""

MAX_DIM = 32
"""Largest dimension of a given code of which variations are drawn. In higher dimensions, generating groups is slow."""

MAX_ORDER = 300
"""Largest order of a group that is generated from isometries."""

MAX_SURPLUS = 0.06
"""Largest number of points beyond K in a variation, as a fraction of K."""

HOLE_CANDIDATES = 150
"""Number of random positions at which a hole for a new orbit is looked for."""

FIXED_SPACES = 6
"""Number of random subgroups. Holes are also looked for among the points that such a subgroup keeps fixed."""

CROWDING_NOISES = (0.01, 0.3, 1.0, 3.0)
"""Standard deviations of the noise that is added to the logarithm of the crowding; one is drawn for each removal."""

CROWDING_RATE = 50.0
"""Rate of crowding: a point's crowding is the sum of exp(CROWDING_RATE (c - 1)) over its cosines c with all points."""

MAX_ORBIT_COSINE = 0.9
"""Orbits with a larger cosine between two of their points are not added."""

SAME = 1e-6
"""Largest difference of two cosines or coordinates that count as equal."""


@dataclass(frozen=True, eq=False)
class Orbit:
    """An orbit of a group of matrices: the images of one point under all matrices of the group.

    Attributes:
        representative: One point of the orbit.
        stabilizer: For each matrix of the group, True if the matrix keeps the representative fixed, otherwise False.
        members: For each point of the orbit, the index of one matrix of the group that maps the representative to the
            point. The first index is 0, that of the identity.
    """

    representative: Points
    stabilizer: NDArray[np.bool_]
    members: Indices

    @property
    def size(self) -> int:
        """The count of points of the orbit."""
        return self.members.shape[0]


def _labels(points: Points) -> Points:
    positions = np.arange(points.shape[-1], dtype=np.float64)
    # different points almost never have the same number
    return points @ np.sin(1.3 * positions + 0.7)


def _frame(points: Points, rng: np.random.Generator) -> list[int]:
    chosen: list[int] = []
    remainders = points.copy()
    while True:
        lengths = np.linalg.norm(remainders, axis=1)
        independent = np.flatnonzero(lengths > 1e-3)
        if len(independent) == 0:
            return chosen
        index = int(rng.choice(independent))
        direction = remainders[index] / lengths[index]
        remainders = remainders - np.outer(remainders @ direction, direction)
        chosen.append(index)


def random_isometry(
    points: Points, gram: Points, rng: np.random.Generator
) -> Points | None:
    """Search for a random orthogonal matrix that maps a code to itself.

    On the orthogonal complement of the span of the code, the matrix is the identity.

    Args:
        points: The (K, n) code: unit vectors, one per row.
        gram: The (K, K) cosines of the code.
        rng: Random generator.

    Returns:
        The (n, n) matrix. None if the search failed.
    """
    # the images of the basis are chosen one after another among the points, so that they have the same cosines as the
    # points of the basis
    # `frame` has the indices of random points that form a basis of the span of the code
    frame = _frame(points, rng)
    branches: list[list[int]] = []
    images: list[int] = []
    for _ in range(MAX_NODES):
        depth = len(images)
        if depth == len(frame):
            break
        fitting = np.abs(gram[images] - gram[frame[depth], frame[:depth]][:, None])
        options = np.flatnonzero((fitting < SAME).all(axis=0))
        branches.append(rng.permutation(options)[:MAX_BRANCHES].tolist())
        while branches and not branches[-1]:
            branches.pop()
            del images[-1:]
        if not branches:
            return None
        del images[len(branches) - 1 :]
        images.append(branches[-1].pop())
    if len(images) < len(frame):
        return None
    basis = points[frame]
    matrix = (np.linalg.pinv(basis) @ points[images]).T
    complement = np.linalg.svd(basis)[2][len(frame) :]
    matrix += complement.T @ complement
    if np.abs(matrix @ matrix.T - np.eye(len(matrix))).max() > SAME:
        return None
    moved = np.sort(_labels(points @ matrix.T))
    is_symmetry = np.abs(moved - np.sort(_labels(points))).max() < SAME
    return matrix if is_symmetry else None


def generated_group(generators: list[Points], max_order: int) -> Matrices | None:
    """Return all elements of the group that orthogonal matrices generate.

    Args:
        generators: The orthogonal n x n matrices.
        max_order: Largest accepted number of elements.

    Returns:
        All elements as an array of n x n matrices, the identity first. None if the group has more than `max_order`
        elements.
    """
    dim = len(generators[0])
    elements = np.eye(dim)[None]
    weights = np.sin(np.arange(dim * dim) ** 2 + 0.5)
    seen = set(np.round(elements.reshape(1, -1) @ weights, 5).tolist())
    newest = elements
    while len(newest):
        products = np.concatenate([newest @ generator for generator in generators])
        labels = np.round(products.reshape(len(products), -1) @ weights, 5) + 0.0
        fresh: list[int] = []
        for index, label in enumerate(labels.tolist()):
            if label not in seen:
                seen.add(label)
                fresh.append(index)
        newest = products[fresh]
        elements = np.concatenate([elements, newest])
        if len(elements) > max_order:
            return None
    return elements


def _order(matrix: Points) -> int | None:
    power = matrix
    for order in range(1, MAX_ORDER + 1):
        if np.abs(power - np.eye(len(matrix))).max() < SAME:
            return order
        power = power @ matrix
    return None


def _random_power(matrix: Points, rng: np.random.Generator) -> Points | None:
    order = _order(matrix)
    if order is None or order < 2:
        return None
    # these powers are not the identity
    divisors = [d for d in range(1, order) if order % d == 0]
    return np.linalg.matrix_power(matrix, int(rng.choice(divisors)))


def orbit_of(point: Points, group: Matrices) -> Orbit | None:
    """Return the orbit of a point: its images under all matrices of a group.

    Args:
        point: (n,) unit vector.
        group: (g, n, n) array of the g matrices of the group, the identity first.

    Returns:
        The orbit. Its attribute `representative` is the point. None if rounding errors make the orbit uncertain.
    """
    images = group @ point
    stabilizer = np.sum((images - point) ** 2, axis=1) < 1e-9
    labels = np.round(_labels(images), 7)
    members = np.sort(np.unique(labels, return_index=True)[1])
    if members[0] != 0 or len(members) * stabilizer.sum() != len(group):
        return None
    return Orbit(point, stabilizer, members)


def orbit_partition(points: Points, group: Matrices) -> list[Orbit]:
    """Return the orbits of a group into which a code is divided.

    An orbit consists of the images of one point under all matrices of the group.

    Args:
        points: (K, n) code that the group maps to itself.
        group: (g, n, n) array of the g matrices of the group, the identity first.

    Returns:
        The orbits, each with one of its points as representative. The list is empty if rounding errors make an orbit
        uncertain.
    """
    labels = _labels(points)
    order = np.argsort(labels)
    is_left = np.ones(len(points), dtype=bool)
    found: list[Orbit] = []
    while is_left.any():
        first = int(np.argmax(is_left))
        orbit = orbit_of(points[first], group)
        if orbit is None:
            return []
        images = _labels(group[orbit.members] @ points[first])
        positions = np.searchsorted(labels[order], images - SAME)
        is_left[order[np.minimum(positions, len(points) - 1)]] = False
        is_left[first] = False
        found.append(orbit)
    return found


def _sliced(
    points: Points, group: Matrices, num_points: int, rng: np.random.Generator
) -> tuple[Points, Matrices] | None:
    values, vectors = np.linalg.eigh(group.mean(axis=0))
    # an orthonormal basis of the directions that the group fixes
    fixed = vectors[:, values > 0.5]
    if fixed.shape[1] == 0:
        return None
    coordinates = rng.standard_normal((1, fixed.shape[1]))
    if rng.random() < 0.5:
        index = int(rng.integers(len(points)))
        along = points[index : index + 1] @ fixed
        if np.linalg.norm(along) > SAME:
            coordinates = along
    direction = normalized(coordinates @ fixed.T)[0]
    basis = np.linalg.qr(np.column_stack([direction, np.eye(len(direction))]))[0]
    others = basis[:, 1:]
    heights = np.abs(points @ direction)
    # only points near the hyperplane are kept, usually between `num_points` and 1.6 times `num_points`
    share = rng.uniform(1.0, 1.6) * num_points / len(points)
    highest = min(np.quantile(heights, min(1.0, share)), 0.95)
    kept = normalized(points[heights <= highest + SAME] @ others)
    distinct = np.unique(np.round(_labels(kept), 6), return_index=True)[1]
    return kept[distinct], others.T @ group @ others


def _images(orbits: list[Orbit], group: Matrices) -> Points:
    blocks = [group[orbit.members] @ orbit.representative for orbit in orbits]
    return np.concatenate(blocks)


def _without_crowded_orbits(
    orbits: list[Orbit], group: Matrices, largest: int, rng: np.random.Generator
) -> list[Orbit]:
    representatives = np.array([orbit.representative for orbit in orbits])
    cosines = representatives @ _images(orbits, group).T
    crowding = np.log(np.exp(CROWDING_RATE * (cosines - 1)).sum(axis=1))
    noise = rng.choice(CROWDING_NOISES) * rng.standard_normal(len(orbits))
    ranked: list[int] = np.argsort(-crowding - noise).tolist()
    num_removed = int(max(2.0, len(orbits) / 3) ** rng.random()) - 1
    total = sum(orbit.size for orbit in orbits)
    removed: set[int] = set()
    for index in ranked:
        if total <= largest and len(removed) >= num_removed:
            break
        removed.add(index)
        total -= orbits[index].size
    return [orbit for index, orbit in enumerate(orbits) if index not in removed]


def _hole_candidates(group: Matrices, rng: np.random.Generator) -> Points:
    dim = group.shape[1]
    blocks = [uniform_points(HOLE_CANDIDATES, dim, rng)]
    for _ in range(FIXED_SPACES):
        drawn = group[rng.integers(len(group), size=rng.integers(1, 3))]
        values, vectors = np.linalg.eigh((drawn + drawn.transpose(0, 2, 1)).mean(0) / 2)
        # vectors that one or two random matrices of the group fix have small orbits
        fixed = vectors[:, values > 1 - 1e-7]
        if fixed.shape[1]:
            coordinates = rng.standard_normal((20, fixed.shape[1]))
            blocks.append(normalized(coordinates @ fixed.T))
    return np.concatenate(blocks)


def _with_holes_filled(
    orbits: list[Orbit],
    group: Matrices,
    between: tuple[int, int],
    rng: np.random.Generator,
) -> list[Orbit] | None:
    # the least and the largest number of points of the result
    fewest, largest = between
    total = sum(orbit.size for orbit in orbits)
    candidates = _hole_candidates(group, rng)
    nearest = (candidates @ _images(orbits, group).T).max(axis=1)
    filled = list(orbits)
    for _ in range(len(candidates)):
        if total >= fewest:
            return filled
        deepest = int(np.argmin(nearest))
        nearest[deepest] = np.inf
        point = candidates[deepest]
        orbit = orbit_of(point, group)
        if orbit is None or total + orbit.size > largest:
            continue
        images = group[orbit.members] @ point
        if (images[1:] @ point).max(initial=-1.0) > MAX_ORBIT_COSINE:
            continue
        filled.append(orbit)
        total += orbit.size
        nearest = np.maximum(nearest, (candidates @ images.T).max(axis=1))
    return filled if total >= fewest else None


def _arranged(
    name: str, orbits: list[Orbit], group: Matrices
) -> tuple[Arrangement, Points]:
    by_type: dict[bytes, list[Orbit]] = {}
    for orbit in orbits:
        by_type.setdefault(orbit.stabilizer.tobytes(), []).append(orbit)
    types = list(by_type.values())
    cosets = tuple(group[same[0].members] for same in types)
    projectors = tuple(group[same[0].stabilizer].mean(axis=0) for same in types)
    counts = tuple(len(same) for same in types)
    label = "+".join(f"{len(same)}x{same[0].size}" for same in types)
    arrangement = Arrangement(
        f"{name} {label}",
        Symmetry(name, cosets, projectors),
        counts,
        cosets,
        projectors,
    )
    rows = [orbit.representative for same in types for orbit in same]
    return arrangement, np.array(rows)


@dataclass
class GivenSymmetries:
    """Given codes, from which codes with some of the same symmetries are derived, and isometries of the given codes.

    An isometry is an orthogonal matrix that maps a code to itself.

    Attributes:
        codes: One matrix for each given code, with one point per row. The number of columns is at least the dimension
            of the codes that are derived.
        isometries: For each code, the list of its isometries that were found so far.
        failures: For each code, the count of failed searches for an isometry.
    """

    codes: list[Points]
    isometries: list[list[Points]] = field(init=False)
    failures: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.isometries = [[] for _ in self.codes]
        self.failures = [0] * len(self.codes)

    @classmethod
    def suited_to(cls, codes: list[Points], num_points: int, dim: int) -> Self:
        """Return an object with those of the given codes from which codes of K points in R^n can be derived.

        Only codes with at least K/2 points, at most 2500 points and at most 32 dimensions are selected. The selected
        codes with fewer than n dimensions are padded with zeros. If n is above 32, no code is selected.

        Args:
            codes: Codes with any number of points and dimensions, one point per row.
            num_points: Number K of points.
            dim: Dimension n.
        """
        suited = [
            padded(code, max(dim, code.shape[1])).astype(np.float64)
            for code in codes
            if num_points / 2 <= len(code) <= MAX_GRAM_POINTS
            and max(dim, code.shape[1]) <= MAX_DIM
        ]
        return cls(suited)

    def draw(
        self, num_points: int, dim: int, rng: np.random.Generator
    ) -> tuple[Arrangement, Points] | None:
        """Draw a code of K to 1.06 K points in R^n that shares some symmetries with a random one of the given codes.

        Args:
            num_points: Number K of points.
            dim: Dimension n.
            rng: Random generator.

        Returns:
            None if the attempt fails. Otherwise, a tuple of two values. The first is an `Arrangement`: a group of
            symmetries of the drawn code, and its count of orbits of each type. One point of each orbit is its
            representative. Two orbits are of the same type if the same matrices of the group keep their representatives
            fixed. The second value is an (m, n) matrix with the representatives of the m orbits as rows, type after
            type.
        """
        index = int(rng.integers(len(self.codes)))
        group = self._random_group(index, rng)
        if group is None:
            return None
        points = self.codes[index]
        name = f"{points.shape[0]} in {points.shape[1]} by {len(group)}"
        for _ in range(points.shape[1] - dim):
            sliced = _sliced(points, group, num_points, rng)
            if sliced is None:
                return None
            points, group = sliced
        orbits = orbit_partition(points, group)
        if not orbits:
            return None
        largest = int(num_points * (1 + MAX_SURPLUS * rng.random() ** 2))
        kept = _without_crowded_orbits(orbits, group, largest, rng)
        if not kept:
            return None
        filled = _with_holes_filled(kept, group, (num_points, largest), rng)
        return None if filled is None else _arranged(name, filled, group)

    def _random_group(self, index: int, rng: np.random.Generator) -> Matrices | None:
        found = self.isometries[index]
        if len(found) + self.failures[index] < MAX_ISOMETRIES:
            points = self.codes[index]
            isometry = random_isometry(points, points @ points.T, rng)
            if isometry is None:
                self.failures[index] += 1
            else:
                found.append(isometry)
        if not found:
            return None
        # one or two generators, which are powers of isometries or of products of isometries
        first = found[rng.integers(len(found))]
        if rng.random() < 0.5:
            first = first @ found[rng.integers(len(found))]
        generators = [_random_power(first, rng)]
        if rng.random() < 0.4:
            generators.append(_random_power(found[rng.integers(len(found))], rng))
        proper = [generator for generator in generators if generator is not None]
        if not proper:
            return None
        return generated_group(proper, MAX_ORDER)
