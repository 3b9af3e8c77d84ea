"""Codes that no arrangement beats: measured = Levenshtein's bound, to rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.lattices.sharp_codes import sharp_codes
from protosphere.geometry.gram import max_cosine

SHARP = {
    ("polytope", 3, 12): 5**-0.5,
    ("sharp_codes", 5, 16): Fraction(1, 5),
    ("sharp_codes", 6, 27): Fraction(1, 4),
    ("sharp_codes", 7, 56): Fraction(1, 3),
    ("e8_shell", 8, 240): Fraction(1, 2),
    ("root_system", 8, 240): Fraction(1, 2),
    ("sharp_codes", 21, 112): Fraction(1, 9),
    ("generalized_quadrangle", 21, 112): Fraction(1, 9),
    ("sharp_codes", 21, 162): Fraction(1, 7),
    ("sharp_codes", 22, 100): Fraction(1, 11),
    ("sharp_codes", 22, 275): Fraction(1, 6),
    ("sharp_codes", 22, 891): Fraction(1, 4),
    ("sharp_codes", 23, 552): Fraction(1, 5),
    ("sharp_codes", 23, 4600): Fraction(1, 3),
    ("leech_shell", 24, 196_560): Fraction(1, 2),
}


@pytest.mark.parametrize("row", SHARP, ids=str)
def test_measured_is_the_converse(row):
    scheme, dim, size = row
    code = ps.construct(scheme, num_classes=size, dim=dim)
    assert code.max_cosine == SHARP[row] or float(code.max_cosine) == pytest.approx(
        SHARP[row], abs=1e-14
    )
    assert float(code.certificate.converse) == pytest.approx(
        float(SHARP[row]), abs=1e-12
    )
    assert code.certificate.optimal


@pytest.mark.parametrize(
    "member", list(sharp_codes(24)), ids=lambda member: f"{member.dim}-{member.size}"
)
def test_sections_have_their_size_dimension_and_cosine(member):
    points = member.place(member.size + 1).points
    assert points.shape == (member.size, member.dim)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, rtol=0, atol=1e-14)
    assert np.linalg.matrix_rank(points) == member.dim
    assert max_cosine(points) == pytest.approx(float(member.max_cosine), abs=1e-13)


@pytest.mark.parametrize(
    ("dim", "size", "cosines"),
    [
        (22, 275, [-1 / 4, 1 / 6]),  # McLaughlin
        (22, 100, [-4 / 11, 1 / 11]),  # Higman-Sims
        (21, 162, [-2 / 7, 1 / 7]),
        (21, 112, [-1 / 3, 1 / 9]),
        (23, 552, [-1, -1 / 5, 1 / 5]),
        (22, 891, [-1 / 2, -1 / 8, 1 / 4]),
        (23, 4600, [-1, -1 / 3, 0, 1 / 3]),
        (6, 27, [-1 / 2, 1 / 4]),
        (5, 16, [-3 / 5, 1 / 5]),
    ],
)
def test_cosines_are_those_of_the_tables(dim, size, cosines):
    """Cohn & Kumar (2007), table 1."""
    member = next(one for one in sharp_codes(dim) if (one.dim, one.size) == (dim, size))
    points = member.place(size).points
    found = np.unique(np.round((points[:3] @ points.T).ravel(), 9))
    np.testing.assert_allclose(found, [*cosines, 1], atol=1e-9)
