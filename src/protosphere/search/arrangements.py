"""How a code may be made of orbits: a group, its action on R^n, and how many orbits of each size add up to K."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.search.groups import Group, group, group_names
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

    def random_representatives(
        self, batch: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """(batch, m, n) unit representatives, uniform where they may be."""
        pieces = [
            rng.standard_normal((batch, count, len(projector))) @ projector
            for count, projector in zip(self.counts, self.projectors, strict=True)
        ]
        rows = np.concatenate(pieces, axis=1)
        return rows / np.linalg.norm(rows, axis=2, keepdims=True)


def _family(rng: np.random.Generator, names: list[str]) -> list[str]:
    """A family of groups, drawn so that the many cyclic ones do not crowd out the rest."""
    cyclic = [name for name in names if name[1:].isdigit() and name[0] == "C"]
    metacyclic = [name for name in names if ":" in name]
    others = [name for name in names if name not in set(cyclic) | set(metacyclic)]
    return [cyclic, metacyclic, others][rng.choice(3, p=[0.45, 0.3, 0.25])]


def _action(symmetry: Group, dim: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A random sum of irreducibles of total dimension `dim`; mostly different ones, and few trivial."""
    trivial = next(
        part
        for part in symmetry.irreducibles
        if part.shape[1] == 1 and np.allclose(part, 1)
    )
    moving = [part for part in symmetry.irreducibles if part is not trivial]
    matrices = np.zeros((len(symmetry.table), dim, dim))
    start = 0
    pool: list[int] = []
    while start < dim:
        room = dim - start
        part = trivial
        fitting = [i for i in pool if moving[i].shape[1] <= room]
        if not fitting:
            pool = fitting = [
                i
                for i in map(int, rng.permutation(len(moving)))
                if moving[i].shape[1] <= room
            ]
        if fitting and not (room <= 2 and rng.random() < 0.5):
            part = moving[fitting[0]]
            pool.remove(fitting[0])
        block = slice(start, start + part.shape[1])
        matrices[:, block, block] = part
        start = block.stop
    return matrices


def _orbit_types(
    symmetry: Group, matrices: NDArray[np.float64], rng: np.random.Generator
) -> list[tuple[NDArray[np.float64], Points]]:
    """Coset matrices and projectors of those subgroups that are the whole stabiliser of some point."""
    types: list[tuple[NDArray[np.float64], Points]] = []
    for subgroup in symmetry.subgroups:
        projector = matrices[list(subgroup)].mean(
            axis=0
        )  # onto what the subgroup fixes
        if np.trace(projector) < 0.5:
            continue
        cosets = matrices[
            np.unique(symmetry.table[:, list(subgroup)].min(axis=1))
        ]  # one of each
        images = cosets @ (projector @ rng.standard_normal(len(projector)))
        if np.all(np.sum((images[1:] - images[0]) ** 2, axis=1) > APART):
            types.append((cosets, projector))
    return types


def _composition(
    sizes: list[int], room: list[int], total: int, rng: np.random.Generator
) -> list[int] | None:
    """How many orbits of each size add up to `total`: large ones first, with a little chance for others."""
    counts = [0] * len(sizes)
    while total > 0:
        open_ = [
            i for i, size in enumerate(sizes) if size <= total and counts[i] < room[i]
        ]
        if not open_:
            return None
        weights = np.array([float(sizes[i]) ** 2 for i in open_])
        choice = open_[rng.choice(len(open_), p=weights / weights.sum())]
        counts[choice] += 1
        total -= sizes[choice]
    return counts


def random_arrangement(
    num_points: int, dim: int, rng: np.random.Generator
) -> Arrangement | None:
    """A random arrangement, or None where the orbit sizes that were drawn do not add up to K."""
    largest = max(2, min(num_points, LARGEST_GROUP))
    family = _family(rng, list(group_names(largest)))
    if not family:
        return None
    name = family[rng.integers(len(family))]
    symmetry = group(name, largest)
    if symmetry is None:
        return None
    types = _orbit_types(symmetry, _action(symmetry, dim, rng), rng)
    sizes = [len(cosets) for cosets, _ in types]
    if max(sizes, default=0) < 2:
        return None
    room = [2 if np.trace(projector) < 1.5 else num_points for _, projector in types]
    counts = _composition(sizes, room, num_points, rng)
    if counts is None:
        return None
    used = [
        (count, *orbits) for count, orbits in zip(counts, types, strict=True) if count
    ]
    label = "+".join(f"{count}x{len(cosets)}" for count, cosets, _ in used)
    return Arrangement(f"{name} {label}", *zip(*used, strict=True))
