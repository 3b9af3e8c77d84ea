"""Clusters: cosines within them are as the formula says, and their codes are the best known ones."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.best.candidates import candidates
from protosphere.constructions.elementary.clusters import (
    cluster_sizes,
    default_clusters,
    tangent_vectors,
)
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import uniform_points


def known_points(num_points, dim):
    """The points of the best code known without a search; a single point is a basis vector."""
    if num_points == 1:
        return np.eye(1, dim)
    return ps.best(num_points, dim, iterations=0).points


def groups_of(code, num_clusters):
    """The points of each cluster, in order."""
    sizes = cluster_sizes(code.num_classes, num_clusters)
    return np.split(code.points, np.cumsum(sizes)[:-1])


SIZES = [
    (2, 2, 1, 0.35),
    (7, 2, 4, 0.2),
    (12, 3, 4, 0.5),
    (30, 5, 7, 0.35),
    (30, 5, 30, 0.1),
    (30, 5, 1, 0.9),
    (100, 16, 10, 1.0),
    (67, 40, 8, 0.35),
]


@pytest.mark.parametrize(("K", "n", "C", "spread"), SIZES)
def test_points_have_the_same_cosine_with_their_center(K, n, C, spread):
    code = ps.construct("clusters", K, n, clusters=C, spread=spread, seed=4)
    centers = known_points(C, n)
    for center, group in zip(centers, groups_of(code, C), strict=True):
        np.testing.assert_allclose(
            group @ center, np.sqrt(1 - spread**2), rtol=0, atol=1e-14
        )


@pytest.mark.parametrize(("K", "n", "C", "spread"), SIZES)
def test_cosines_within_a_cluster_are_those_of_the_best_known_directions(
    K, n, C, spread
):
    code = ps.construct("clusters", K, n, clusters=C, spread=spread, seed=4)
    for group in groups_of(code, C):
        directions = known_points(len(group), n - 1)
        expected = 1 - spread**2 * (1 - directions @ directions.T)
        np.testing.assert_allclose(group @ group.T, expected, rtol=0, atol=1e-13)


def test_clusters_are_turned_independently_of_one_another():
    code = ps.construct("clusters", 40, 8, clusters=4, spread=1.0)
    first, second, *_ = groups_of(code, 4)
    np.testing.assert_allclose(first @ first.T, second @ second.T, atol=1e-13)
    assert np.abs(first - second).max() > 0.1


@pytest.mark.parametrize("K", range(2, 60))
def test_sizes_differ_by_at_most_one_and_the_default_number_is_next_to_the_root(K):
    C = default_clusters(K)
    assert abs(C - K**0.5) <= 0.5
    for number in {1, C, K}:
        sizes = cluster_sizes(K, number)
        assert (sum(sizes), len(sizes)) == (K, number)
        assert max(sizes) - min(sizes) <= 1


def test_default_is_about_the_square_root_of_the_classes():
    by_default = ps.construct("clusters", 90, 12)
    given = ps.construct("clusters", 90, 12, clusters=9)
    assert np.array_equal(by_default.points, given.points)


def test_a_smaller_spread_brings_points_closer():
    values = [
        ps.construct("clusters", 128, 16, spread=spread).max_cosine
        for spread in (0.1, 0.2, 0.3, 0.4)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.98
    assert values[-1] < 0.85


@pytest.mark.parametrize("n", [2, 3, 17])
def test_tangent_vectors_are_orthogonal_to_the_center_with_the_same_cosines(n):
    rng = np.random.default_rng(n)
    vectors = uniform_points(9, n - 1, rng)
    axis = np.eye(1, n)
    centers = [*uniform_points(5, n, rng), axis[0], -axis[0], np.roll(axis[0], 1)]
    for center in centers:
        tangent = tangent_vectors(center, vectors)
        np.testing.assert_allclose(tangent @ center, 0, atol=1e-15)
        np.testing.assert_allclose(
            tangent @ tangent.T, vectors @ vectors.T, rtol=0, atol=1e-14
        )


@pytest.mark.parametrize(("K", "n"), [(10, 3), (100, 16), (512, 32), (1000, 128)])
def test_best_does_not_consider_codes_that_are_badly_separated_on_purpose(K, n):
    schemes = {candidate.scheme for candidate in candidates(K, n)}
    assert schemes
    assert not schemes & {"clusters", "rotated_bases"}


def test_the_certificate_has_the_measured_cosine_and_no_guarantee():
    code = ps.construct("clusters", 50, 6)
    assert code.certificate.guarantee is None
    assert float(code.max_cosine) == pytest.approx(max_cosine(code.points), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"clusters": 0}, "clusters"),
        ({"clusters": 21}, "clusters"),
        ({"clusters": 2.5}, "clusters"),
        ({"spread": 0}, "spread"),
        ({"spread": 1.01}, "spread"),
        ({"spread": "wide"}, "spread"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, argument):
    with pytest.raises(ps.InvalidArgumentError, match=f"'{argument}' must be"):
        ps.construct("clusters", 20, 6, **options)


def test_the_number_of_clusters_that_a_refusal_names_works_in_two_dimensions():
    with pytest.raises(ps.InfeasibleError, match="clusters=6"):
        ps.construct("clusters", 11, 2)
    assert ps.construct("clusters", 11, 2, clusters=6, spread=0.1).max_cosine < 1
