"""Symmetric variations of given codes: their isometries, groups, orbits and arrangements."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import cross_polytope_points, normalized
from protosphere.search.arrangements import random_arrangement, rearranged
from protosphere.search.code_search import search_code
from protosphere.search.given_symmetries import (
    GivenSymmetries,
    generated_group,
    orbit_partition,
    random_isometry,
)


def roots(dim):
    """Return the 2 n (n - 1) roots of D_n."""
    rows = []
    for i, j in combinations(range(dim), 2):
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            row = np.zeros(dim)
            row[[i, j]] = signs
            rows.append(row)
    return normalized(np.array(rows))


CODES = {
    "cross-polytope": cross_polytope_points(10, 5),
    "D4": roots(4),
    "D6": roots(6),
    "D5 in a hyperplane": np.pad(roots(5), ((0, 0), (0, 1))),
}


def is_same_set(left, right):
    nearest = (left @ right.T).max(axis=1)
    return len(left) == len(right) and bool((nearest > 1 - 1e-9).all())


def isometries(points, count):
    rng = np.random.default_rng(1)
    gram = points @ points.T
    drawn = [random_isometry(points, gram, rng) for _ in range(20 * count)]
    return [one for one in drawn if one is not None][:count]


@pytest.mark.parametrize("points", CODES.values(), ids=CODES)
def test_isometries_are_orthogonal_and_map_the_code_to_itself(points):
    found = isometries(points, 4)
    assert len(found) == 4
    for matrix in found:
        np.testing.assert_allclose(
            matrix @ matrix.T, np.eye(points.shape[1]), atol=1e-9
        )
        assert is_same_set(points @ matrix.T, points)


def test_a_code_without_symmetry_has_only_the_identity():
    points = normalized(np.random.default_rng(0).standard_normal((12, 4)))
    for matrix in isometries(points, 3):
        np.testing.assert_allclose(matrix, np.eye(4), atol=1e-9)


def test_a_generated_group_is_closed_and_its_elements_are_orthogonal():
    rotation = np.roll(np.eye(6), 1, axis=0)
    reflection = np.eye(6)[::-1]
    group = generated_group([rotation, reflection], 12)
    assert len(group) == 12
    assert np.array_equal(group[0], np.eye(6))
    products = (group[:, None] @ group[None]).reshape(-1, 36)
    distances = np.abs(products[:, None] - group.reshape(1, 12, 36)).max(axis=2)
    assert distances.min(axis=1).max() < 1e-9
    assert generated_group([rotation, reflection], 11) is None


@pytest.mark.parametrize("points", CODES.values(), ids=CODES)
def test_orbits_are_closed_and_divide_the_code(points):
    [matrix] = isometries(points, 1)
    group = generated_group([matrix], 1000)
    orbits = orbit_partition(points, group)
    assert sum(orbit.size for orbit in orbits) == len(points)
    for orbit in orbits:
        images = group[orbit.members] @ orbit.representative
        assert orbit.stabilizer.sum() * orbit.size == len(group)
        assert is_same_set(images @ matrix.T, images)
        assert (images @ points.T).max(axis=1).min() > 1 - 1e-9


@pytest.mark.parametrize(("dim", "num_points"), [(6, 60), (6, 50), (6, 75), (5, 40)])
def test_variations_are_symmetric_codes_of_about_the_requested_size(dim, num_points):
    rng = np.random.default_rng(0)
    given = GivenSymmetries.suited_to([roots(6), roots(4)], num_points, dim)
    drawn = [given.draw(num_points, dim, rng) for _ in range(60)]
    found = [one for one in drawn if one is not None]
    assert len(found) >= 5
    for arrangement, representatives in found:
        points = arrangement.points(representatives)
        assert num_points <= len(points) <= 1.06 * num_points
        assert points.shape[1] == dim
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-9)
        for cosets, projector in zip(
            arrangement.cosets, arrangement.projectors, strict=True
        ):
            np.testing.assert_allclose(projector @ projector, projector, atol=1e-9)
            for matrix in cosets[:5]:
                assert is_same_set(points @ matrix.T, points)


def test_a_rearranged_symmetry_has_the_requested_number_of_points():
    rng = np.random.default_rng(0)
    drawn = [random_arrangement(30, 5, rng) for _ in range(100)]
    for arrangement in [one for one in drawn if one is not None]:
        other = rearranged(arrangement.symmetry, 30, rng)
        if other is not None:
            assert other.symmetry is arrangement.symmetry
            assert sum(other.sizes) == 30


def test_a_search_from_symmetric_variations_repeats_its_bits_and_states_its_cosine():
    first, again = (
        search_code(
            310,
            10,
            rng=np.random.default_rng(3),
            iterations=1000,
            initializations=["symmetric"],
            start_points=[roots(10)],
        )
        for _ in range(2)
    )
    assert np.array_equal(first.points, again.points)
    assert first.max_cosine == max_cosine(first.points)
    cosines = first.points @ first.points.T
    np.fill_diagonal(cosines, -1)
    assert cosines.max() == pytest.approx(first.max_cosine, abs=1e-12)
    assert first.max_cosine < 0.5 + 1e-9
    assert first.starts["symmetric"] > 0
