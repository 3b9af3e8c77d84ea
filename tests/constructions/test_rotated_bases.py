"""Rotated bases: the frame potential is the least at every spread, the max cosine is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.frames.rotated_bases import random_rotation

SPREADS = (0.01, 0.1, 0.2, 0.5, 1.0, math.pi)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize(("m", "n"), [(1, 5), (2, 2), (3, 7), (16, 32), (5, 65)])
def test_whole_bases_have_the_least_frame_potential_at_every_spread(m, n, spread):
    K = m * n
    points = ps.construct("rotated_bases", K, n, spread=spread, seed=2).points
    squares = np.square(points @ points.T).sum()
    assert squares == pytest.approx(K**2 / n, rel=1e-13)
    np.testing.assert_allclose(points.T @ points, m * np.eye(n), rtol=0, atol=1e-12)


def test_statistics_meet_the_bound_of_welch_while_separation_varies():
    codes = [ps.construct("rotated_bases", 96, 12, spread=s) for s in SPREADS[1:5]]
    least = float(ps.bounds.welch_mean_square(96, 12))
    for code in codes:
        mean_square = float(ps.code_statistics(code).mean_square)
        assert mean_square == pytest.approx(least, rel=1e-12)
    values = [code.max_cosine for code in codes]
    assert values == sorted(values, reverse=True)
    assert values[0] - values[-1] > 0.05


@pytest.mark.parametrize(("K", "n"), [(7, 5), (23, 8), (33, 32), (100, 3)])
def test_other_sizes_are_the_first_points_of_whole_bases(K, n):
    whole = -(-K // n) * n
    part = ps.construct("rotated_bases", K, n, seed=5).points
    all_points = ps.construct("rotated_bases", whole, n, seed=5).points
    assert np.array_equal(part, all_points[:K])


def test_a_longer_code_begins_with_the_shorter_one():
    short = ps.construct("rotated_bases", 24, 8, seed=1).points
    long = ps.construct("rotated_bases", 80, 8, seed=1).points
    assert np.array_equal(short, long[:24])


def test_every_basis_is_orthonormal_and_the_first_is_the_standard_one():
    points = ps.construct("rotated_bases", 60, 12, spread=0.7).points
    bases = points.reshape(5, 12, 12)
    assert np.array_equal(bases[0], np.eye(12))
    for basis in bases:
        np.testing.assert_allclose(basis @ basis.T, np.eye(12), rtol=0, atol=1e-14)
        assert np.linalg.det(basis) == pytest.approx(1)


@pytest.mark.parametrize("angle", [0.01, 0.1, 0.3])
def test_a_rotation_turns_vectors_by_about_its_angle(angle):
    rotation = random_rotation(400, angle, np.random.default_rng(0))
    turned = np.arccos(np.diag(rotation))
    assert np.sqrt(np.mean(turned**2)) == pytest.approx(angle, rel=0.03)


def test_a_rotation_of_the_plane_is_by_the_angle_of_its_random_number():
    rotation = random_rotation(2, 0.5, np.random.default_rng(3))
    entries = np.random.default_rng(3).standard_normal((2, 2))
    angle = 0.5 * entries[0, 1]
    expected = [
        [math.cos(angle), math.sin(angle)],
        [-math.sin(angle), math.cos(angle)],
    ]
    np.testing.assert_allclose(rotation, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("spread", [0, -0.2, 3.2, math.inf, math.nan, "wide", True])
def test_a_spread_out_of_range_is_refused(spread):
    with pytest.raises(ps.InvalidArgumentError, match="'spread' must be"):
        ps.construct("rotated_bases", 20, 6, spread=spread)


@pytest.mark.parametrize(
    ("K", "n", "nearest"), [(5, 6, 5), (5000, 4097, 4096), (3, 1, 2)]
)
def test_dimensions_that_are_refused_name_the_nearest_that_works(K, n, nearest):
    with pytest.raises(ps.InfeasibleError, match=f"nearest: {nearest}$"):
        ps.construct("rotated_bases", K, n)
