"""The closest pair of classes with parts is that of all pairs, or a true bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protosphere.geometry.closest_classes import (
    closest_classes,
    has_equal_rows,
    pair_distances,
)
from protosphere.geometry.sphere import uniform_points


def random_classes(seed, sizes, count):
    rng = np.random.default_rng(seed)
    part_points = [uniform_points(size, 3, rng) for size in sizes]
    shares = rng.dirichlet(np.ones(len(sizes)))
    combinations = int(np.prod(sizes))
    numbers = rng.permutation(combinations)[: min(count, combinations)]
    values = np.stack(np.unravel_index(numbers, sizes), axis=1).astype(np.uint8)
    return values, part_points, shares.tolist()


def part_distances(part_points, shares):
    return [
        share * (1 - np.sort((points @ points.T).ravel())[-len(points) - 1])
        for points, share in zip(part_points, shares, strict=True)
    ]


def distances_of(values, part_points, shares):
    """The function that a search calls for the distances of pairs."""
    return lambda left, right: pair_distances(
        values[left], values[right], part_points, shares
    )


def smallest_of_all_pairs(values, part_points, shares):
    left, right = np.triu_indices(len(values), 1)
    return pair_distances(values[left], values[right], part_points, shares).min()


CLASSES = st.tuples(
    st.integers(0, 1000),
    st.lists(st.integers(2, 5), min_size=1, max_size=4),
    st.integers(2, 60),
)


@given(CLASSES)
@settings(max_examples=60, deadline=None)
def test_closest_pair_is_that_of_all_pairs(drawn):
    values, part_points, shares = random_classes(*drawn)
    found = closest_classes(
        values,
        distances_of(values, part_points, shares),
        part_distances(part_points, shares),
    )
    assert found.found
    expected = smallest_of_all_pairs(values, part_points, shares)
    assert found.distance == pytest.approx(expected, abs=1e-12)


@given(CLASSES, st.integers(0, 300))
@settings(max_examples=60, deadline=None)
def test_search_that_gives_up_bounds_every_pair(drawn, most_rows):
    values, part_points, shares = random_classes(*drawn)
    found = closest_classes(
        values,
        distances_of(values, part_points, shares),
        part_distances(part_points, shares),
        most_rows,
    )
    expected = smallest_of_all_pairs(values, part_points, shares)
    assert min(found.distance, found.bound) <= expected + 1e-12
    assert found.distance >= expected - 1e-12


def test_distance_of_two_classes_is_one_minus_their_cosine():
    values, part_points, shares = random_classes(3, [4, 5, 2], 40)
    rows = np.hstack(
        [
            np.sqrt(share) * points[values[:, part]]
            for part, (points, share) in enumerate(
                zip(part_points, shares, strict=True)
            )
        ]
    )
    left, right = np.triu_indices(len(values), 1)
    found = pair_distances(values[left], values[right], part_points, shares)
    np.testing.assert_allclose(found, 1 - (rows @ rows.T)[left, right], atol=1e-13)


def test_equal_rows_are_found_wherever_they_are():
    values = np.stack(np.unravel_index(np.arange(60), (3, 4, 5)), axis=1)
    assert not has_equal_rows(values.astype(np.uint16))
    values[50] = values[7]
    assert has_equal_rows(values.astype(np.uint16))
