"""Polygons, polytopes and root systems: all cosines, and the values of the literature."""

from __future__ import annotations

from fractions import Fraction
from math import cos, pi, radians

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.elementary.polytope import polytope, snub_cube
from protosphere.constructions.lattices.root_system import root_system
from protosphere.geometry.gram import max_cosine

MIN_ANGLES = {
    7: 77.8695421,
    8: 74.8584922,
    9: 70.5287794,
    12: 63.4349488,
    24: 43.6907671,
    120: 36.0,
}
"""Degrees, of the best known arrangements: Sloane's tables of spherical codes (dimension 3), the 600-cell."""


@pytest.mark.parametrize("member", list(polytope(4)), ids=lambda member: member.id)
def test_polytopes(member):
    points = member.place(member.size).points
    assert points.shape == (member.size, member.dim)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, rtol=0, atol=1e-15)
    assert max_cosine(points) == pytest.approx(float(member.max_cosine), abs=1e-14)
    assert float(member.max_cosine) == pytest.approx(
        cos(radians(MIN_ANGLES[member.size])), abs=2e-9
    )


def test_nine_points_are_certified_exactly():
    assert ps.construct("polytope", num_classes=9, dim=3).max_cosine == Fraction(1, 3)


def test_eleven_points_are_twelve_without_one():
    assert float(
        ps.construct("polytope", num_classes=11, dim=3).max_cosine
    ) == pytest.approx(5**-0.5, abs=1e-14)


def test_every_corner_of_the_snub_cube_has_five_neighbors():
    gram = snub_cube() @ snub_cube().T
    np.fill_diagonal(gram, -1)
    assert np.all(np.sum(gram > np.max(gram) - 1e-9, axis=1) == 5)


@pytest.mark.parametrize("corners", [2, 3, 4, 5, 6, 7, 100, 2001])
def test_polygons_are_optimal(corners):
    code = ps.construct("polygon", num_classes=corners, dim=2)
    assert float(code.max_cosine) == pytest.approx(cos(2 * pi / corners), abs=1e-14)
    assert code.certificate.exact == (corners in {2, 3, 4, 6})
    assert code.certificate.gap < 1e-12


@pytest.mark.parametrize("member", list(root_system(24)), ids=lambda member: member.id)
def test_root_systems(member):
    points = member.place(member.size).points
    assert points.shape == (member.size, member.dim)
    assert len(np.unique(np.round(points, 9), axis=0)) == member.size
    assert np.linalg.matrix_rank(points) == member.dim
    assert max_cosine(points) == pytest.approx(0.5, abs=1e-14)
    assert member.max_cosine == Fraction(1, 2)


def test_the_exceptional_root_systems_are_the_largest_of_their_dimension():
    sizes = {
        dim: max(m.size for m in root_system(dim) if m.dim == dim)
        for dim in (2, 3, 4, 5, 6, 7, 8, 9)
    }
    assert sizes == {2: 6, 3: 12, 4: 24, 5: 40, 6: 72, 7: 126, 8: 240, 9: 144}


def test_the_largest_root_systems_have_unit_rows_and_cosines_up_to_a_half():
    for member in list(root_system(128))[-2:]:
        assert max_cosine(member.place(3000).points) == pytest.approx(0.5, abs=1e-13)
