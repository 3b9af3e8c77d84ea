"""Root systems: the minimal vectors of A_n, D_n, E6, E7 and E8, every two at 60 degrees or more."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, partial
from math import isqrt

import numpy as np

from protosphere.code.placement import Placement
from protosphere.code.structures import Plain
from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.sections import E8, Section, sparse
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import normalized
from protosphere.types import Indices

LARGEST_RANK = 128
"""At 1/2 larger dimensions hold far more points than 2n(n-1)."""

HALF = Fraction(1, 2)


@lru_cache
def _members() -> tuple[Member, ...]:
    chains = (Member(n, n * (n + 1), HALF, f"roots of A{n}", partial(_a, n)) for n in range(2, LARGEST_RANK + 1))
    forks = (Member(n, 2 * n * (n - 1), HALF, f"roots of D{n}", partial(_d, n)) for n in range(4, LARGEST_RANK + 1))
    return tuple(sorted((*chains, *forks, *_exceptional()), key=lambda member: (member.dim, member.size)))


@family(
    summary="root systems: A_n, n(n+1) points; D_n, 2n(n-1); E6, E7, E8: 72, 126, 240; max cosine 1/2",
    reference="Conway & Sloane, SPLAG, chapter 4, sections 6 to 8",
)
def root_system(largest_dim: int) -> Iterable[Member]:
    """The hexagon is A2, the cuboctahedron A3, the 24-cell D4; E8 is optimal. Roots come in pairs of opposite ones."""
    return (member for member in _members() if member.dim <= largest_dim)


def _a(n: int, count: int) -> Placement:
    """Differences of two corners of a simplex."""
    corners = simplex_points(n + 1)
    which = np.arange(count)
    first, second = _pairs(which // 2)
    signs = 1.0 - 2 * (which % 2)
    points = normalized((corners[first] - corners[second]) * signs[:, None])
    return Placement(f"roots of A{n}", Plain(points, HALF))


def _d(n: int, count: int) -> Placement:
    """(+-1, +-1) in any two places."""
    which = np.arange(count)
    first, second = _pairs(which // 4)
    sign = 1.0 - 2 * (which % 2)
    points = np.zeros((count, n))
    points[which, first] = sign
    points[which, second] = np.where(which % 4 < 2, sign, -sign)
    return Placement(f"roots of D{n}", Plain(normalized(points), HALF))


def _pairs(numbers: Indices) -> tuple[Indices, Indices]:
    """The pair i < j of each number, counting (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    second = np.array([(1 + isqrt(1 + 8 * number)) // 2 for number in numbers.tolist()])
    return numbers - second * (second - 1) // 2, second


def _exceptional() -> Iterable[Member]:
    """E8, and what of it is orthogonal to one root, or to two at 120 degrees."""
    one, two = sparse(8, {0: 2, 1: -2}), sparse(8, {1: 2, 2: -2})
    for section in (
        Section(6, 72, HALF, E8, (one, two), (0, 0), "roots of E6"),
        Section(7, 126, HALF, E8, (one,), (0,), "roots of E7"),
    ):
        yield Member(section.dim, section.size, HALF, section.name, section.place)
    yield Member(8, 240, HALF, "roots of E8", _e8)


def _e8(count: int) -> Placement:
    points = normalized(E8.vectors()[:count].astype(np.float64))
    return Placement("roots of E8", Plain(points, HALF))
