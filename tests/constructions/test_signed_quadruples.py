"""Quadruples that share two places at most, as many as there can be, and what their signs give."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

import protosphere as ps
from protosphere.constructions.lattices.signed_quadruples import (
    COUNTS,
    quadruples,
    signed_quadruples,
)
from protosphere.geometry.gram import max_cosine


@pytest.mark.parametrize(("n", "count"), COUNTS.items())
def test_no_two_quadruples_share_three_places(n, count):
    found = quadruples(n)
    assert len(found) == count
    assert all(len(set(a) & set(b)) <= 2 for a, b in combinations(found, 2))
    assert {place for one in found for place in one} == set(range(n))


@pytest.mark.parametrize(
    "member", list(signed_quadruples(16)), ids=lambda member: str(member.dim)
)
def test_all_points_differ_by_sixty_degrees(member):
    points = ps.construct(
        "signed_quadruples", num_classes=member.size, dim=member.dim
    ).points
    assert len(points) == member.size
    assert max_cosine(points) == pytest.approx(0.5, abs=1e-15)
    assert member.max_cosine == Fraction(1, 2)


def test_no_more_than_the_johnson_bound_allows():
    for n, count in COUNTS.items():
        assert count <= n * ((n - 1) * ((n - 2) // 2) // 3) // 4
