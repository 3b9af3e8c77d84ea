"""How a code may be made of orbits: a group, its action on R^n, and how many orbits of each size add up to K."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.search.groups import (
    Group,
    coset_representatives,
    fixed_projector,
    group,
    group_names,
    representation,
)
from protosphere.types import Points

LARGEST_GROUP = 168
APART = 1e-6
"""Squared distance below which two images of a point count as one."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """`counts[i]` orbits under the matrices `cosets[i]`, each representative inside the range of `projectors[i]`."""

    name: str
    counts: tuple[int, ...]
    cosets: tuple[NDArray[np.float64], ...]
    projectors: tuple[Points, ...]

    def random_representatives(self, batch: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """(batch, m, n) unit representatives, uniform where they may be."""
        dim = self.projectors[0].shape[0]
        pieces = [
            rng.standard_normal((batch, count, dim)) @ projector
            for count, projector in zip(self.counts, self.projectors, strict=True)
        ]
        rows = np.concatenate(pieces, axis=1)
        return rows / np.linalg.norm(rows, axis=2, keepdims=True)


def _family(rng: np.random.Generator, names: dict[str, object]) -> list[str]:
    """A family of groups, drawn so that the many cyclic ones do not crowd out the rest."""
    cyclic = [name for name in names if name[1:].isdigit() and name[0] == "C"]
    metacyclic = [name for name in names if ":" in name]
    others = [name for name in names if name not in set(cyclic) | set(metacyclic)]
    return [cyclic, metacyclic, others][rng.choice(3, p=[0.45, 0.3, 0.25])]


def _action(symmetry: Group, dim: int, rng: np.random.Generator) -> NDArray[np.float64] | None:
    """A random sum of irreducibles of total dimension `dim`; mostly different ones, and few trivial."""
    parts = list(symmetry.irreducibles)
    trivial = next(part for part in parts if part.shape[1] == 1 and np.allclose(part, 1))
    moving = [part for part in parts if part is not trivial]
    chosen: list[NDArray[np.float64]] = []
    room = dim
    pool: list[int] = []
    while room > 0:
        fitting = [i for i in pool if moving[i].shape[1] <= room]
        if not fitting:
            pool = fitting = [i for i in map(int, rng.permutation(len(moving))) if moving[i].shape[1] <= room]
        if not fitting or (room <= 2 and rng.random() < 0.5):
            chosen.append(trivial)
            room -= 1
            continue
        taken = fitting[0]
        pool.remove(taken)
        chosen.append(moving[taken])
        room -= moving[taken].shape[1]
    return representation(chosen)


def _orbit_types(
    symmetry: Group, matrices: NDArray[np.float64], rng: np.random.Generator
) -> list[tuple[NDArray[np.float64], Points]]:
    """Coset matrices and projectors of those subgroups that are the whole stabiliser of some point."""
    types: list[tuple[NDArray[np.float64], Points]] = []
    for subgroup in symmetry.subgroups:
        projector = fixed_projector(matrices, subgroup)
        if np.trace(projector) < 0.5:
            continue
        cosets = matrices[coset_representatives(symmetry.table, subgroup)]
        images = cosets @ (projector @ rng.standard_normal(len(projector)))
        distances = np.sum((images[1:] - images[0]) ** 2, axis=1)
        if len(distances) == 0 or distances.min() > APART:
            types.append((cosets, projector))
    return types


def _composition(sizes: list[int], room: list[int], total: int, rng: np.random.Generator) -> list[int] | None:
    """How many orbits of each size add up to `total`: large ones first, with a little chance for others."""
    counts = [0] * len(sizes)
    while total > 0:
        open_ = [i for i, size in enumerate(sizes) if size <= total and counts[i] < room[i]]
        if not open_:
            return None
        weights = np.array([float(sizes[i]) ** 2 for i in open_])
        choice = open_[rng.choice(len(open_), p=weights / weights.sum())]
        counts[choice] += 1
        total -= sizes[choice]
    return counts


def random_arrangement(num_points: int, dim: int, rng: np.random.Generator) -> Arrangement | None:
    """A random arrangement, or None where the orbit sizes that were drawn do not add up to K."""
    largest = max(2, min(num_points, LARGEST_GROUP))
    names = group_names(largest)
    family = _family(rng, dict(names))
    if not family:
        return None
    symmetry = group(family[rng.integers(len(family))], largest)
    matrices = symmetry and _action(symmetry, dim, rng)
    if symmetry is None or matrices is None:
        return None
    types = _orbit_types(symmetry, matrices, rng)
    sizes = [len(cosets) for cosets, _ in types]
    if not sizes or max(sizes) < 2:
        return None
    room = [2 if np.trace(projector) < 1.5 else num_points for _, projector in types]
    counts = _composition(sizes, room, num_points, rng)
    if counts is None:
        return None
    used = [(count, *orbits) for count, orbits in zip(counts, types, strict=True) if count]
    label = "+".join(f"{count}x{len(cosets)}" for count, cosets, _ in used)
    return Arrangement(f"{symmetry.name} {label}", *zip(*used, strict=True))
