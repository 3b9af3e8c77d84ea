"""Lifted cross-polytopes and lifted bases: every member is what its theorem says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.bounds import converse
from protosphere.constructions.elementary.lifted_bases import lifted_bases
from protosphere.constructions.elementary.lifted_cross_polytopes import (
    lifted_cross_polytopes,
)
from protosphere.geometry.gram import max_cosine
from protosphere.spherical.certificate import certified

SMALL = [*lifted_cross_polytopes(21), *lifted_bases(24)]


@pytest.mark.parametrize("member", SMALL, ids=lambda member: member.id)
def test_all_points_have_the_max_cosine_of_the_theorem(member):
    placement = member.place(member.size)
    points = placement.points
    assert points.shape == (member.size, member.dim)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-15)
    assert max_cosine(points) == pytest.approx(float(member.max_cosine), abs=1e-14)
    assert certified(placement, member.max_cosine).max_cosine == pytest.approx(
        member.max_cosine, abs=1e-15
    )
    assert len(np.unique(points.round(9), axis=0)) == member.size


@pytest.mark.parametrize("member", SMALL, ids=lambda member: member.id)
def test_fewer_points_are_the_first_ones(member):
    whole = member.place(member.size).points
    for count in {2, 3, member.size // 2 + 1, member.size - 1}:
        assert np.array_equal(member.place(count).points, whole[:count])


def test_sizes_are_those_of_the_theorems():
    assert [(m.dim, m.size) for m in lifted_cross_polytopes(13)] == [
        (2, 4),
        (3, 8),
        (5, 16),
        (9, 32),
        (13, 48),
    ]
    bases = list(lifted_bases(100))
    assert [(m.dim, m.size) for m in bases[:2]] == [(5, 16), (6, 24)]
    assert [m.dim for m in bases[2:]] == [*range(17, 25), *range(65, 97)]
    assert all(m.max_cosine == Fraction(8, 44) for m in bases if m.dim == 24)


@pytest.mark.parametrize("members", [lifted_cross_polytopes, lifted_bases])
def test_members_are_counted_up_to_the_dimension_and_never_twice(members):
    everyone = list(members(1100))
    assert len({(m.dim, m.size) for m in everyone}) == len(everyone)
    for limit in (-5, 0, 1, 2, 5, 6, 17, 20, 64, 65, 300):
        assert [m.id for m in members(limit)] == [
            m.id for m in everyone if m.dim <= limit
        ]


def test_the_known_optima_are_met():
    antiprism = ps.construct("lifted_cross_polytopes", num_classes=8, dim=3)
    assert antiprism.max_cosine == pytest.approx(1 / (1 + 2 * np.sqrt(2)), abs=1e-15)
    clebsch = ps.construct("lifted_cross_polytopes", num_classes=16, dim=5)
    assert clebsch.max_cosine == Fraction(1, 5)
    assert float(converse(16, 5).value) == pytest.approx(0.2, abs=1e-12)
    assert clebsch.certificate.optimal


def test_two_lifted_bases_are_two_lifted_cross_polytopes():
    pairs = {m.dim: m.max_cosine for m in lifted_cross_polytopes(300)}
    for member in lifted_bases(300):
        if member.size == 4 * (member.dim - 1):
            assert pairs[member.dim] == member.max_cosine


def test_irrational_cosines_are_certified_at_their_theorem():
    for dim in (3, 9, 13, 21, 29):
        code = ps.construct(
            "lifted_cross_polytopes", num_classes=4 * (dim - 1), dim=dim
        )
        assert code.max_cosine <= code.certificate.guarantee
        assert code.max_cosine == pytest.approx(code.certificate.guarantee, abs=1e-14)
