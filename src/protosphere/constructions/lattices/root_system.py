"""Root systems: the minimal vectors of the lattices A_n, D_n, E6, E7 and E8. Their angles are at least 60 degrees.

The minimal vectors of a lattice are its shortest nonzero vectors. Those of the lattices of this module are called
roots.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.constructions.families import Member, dense_member, family
from protosphere.constructions.lattices.sections import E8, Section, sparse
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices, Points

LARGEST_RANK = 128
"""Largest n of the codes A_n and D_n. In more dimensions, other codes with maximum cosine 1/2 have far more points."""

HALF = Fraction(1, 2)


@family(
    summary="root systems A_n, D_n, E6, E7 and E8 with n(n+1), 2n(n-1), 72, 126 and 240 points; max cosine 1/2",
    reference="Conway & Sloane, SPLAG, chapter 4, sections 6 to 8",
)
def root_system() -> Iterable[Member]:
    """Yield codes whose points are the normalized roots of A_n and D_n for n up to 128, and of E6, E7 and E8.

    The codes come in ascending order of their dimension. The maximum cosine of each code is 1/2. The roots of A2 are a
    hexagon, the roots of A3 a cuboctahedron, and the roots of D4 a 24-cell. The 240 roots of E8 are an optimal code.
    """
    members = list(_exceptional())
    for n in range(2, LARGEST_RANK + 1):
        members.append(_member(f"A{n}", n, n * (n + 1), partial(_a, n)))
    for n in range(4, LARGEST_RANK + 1):
        members.append(_member(f"D{n}", n, 2 * n * (n - 1), partial(_d, n)))
    return sorted(members, key=lambda member: (member.dim, member.size))


def _member(name: str, dim: int, size: int, points: Callable[[int], Points]) -> Member:
    return dense_member(dim, size, HALF, name, f"roots of {name}", points, HALF)


def _a(n: int, count: int) -> Points:
    # the roots are the differences of two vertices of a simplex
    corners = simplex_points(n + 1)
    which = np.arange(count)
    first, second = _pairs(n + 1, which // 2)
    signs = 1.0 - 2 * (which % 2)
    return normalized((corners[first] - corners[second]) * signs[:, None])


def _d(n: int, count: int) -> Points:
    which = np.arange(count)
    first, second = _pairs(n, which // 4)
    sign = 1.0 - 2 * (which % 2)
    # a root has entries +-1 at two coordinates, and zeros elsewhere
    points = np.zeros((count, n))
    points[which, first] = sign
    points[which, second] = np.where(which % 4 < 2, sign, -sign)
    return normalized(points)


def _pairs(n: int, numbers: Indices) -> tuple[Indices, Indices]:
    # pairs of integers below n in the order (0, 1), (0, 2), (1, 2), (0, 3), ...
    second, first = np.tril_indices(n, -1)
    return first[numbers], second[numbers]


def _exceptional() -> Iterable[Member]:
    # E7 has the roots of E8 that are orthogonal to one root. E6 has the roots of E8 that are orthogonal to two roots at
    # an angle of 120 degrees.
    one = sparse(8, {0: 2, 1: -2})
    two = sparse(8, {1: 2, 2: -2})
    e6 = Section(6, 72, HALF, E8, (one, two), (0, 0), "E6", "roots of E6")
    e7 = Section(7, 126, HALF, E8, (one,), (0,), "E7", "roots of E7")
    for section in (e6, e7):
        yield Member(
            dim=section.dim,
            size=section.size,
            max_cosine=HALF,
            id=section.id,
            description=section.name,
            structure=section.structure,
        )
    yield _member("E8", 8, 240, _e8)


def _e8(count: int) -> Points:
    roots = E8.vectors()[:count]
    return normalized(roots.astype(np.float64))
