"""Kissing configurations: as many points as were published, and no two nearer than 60 degrees."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.kissing import barnes_wall_odd_signs as layers
from protosphere.constructions.kissing.kissing_configuration import (
    CONFIGURATIONS,
    kissing_configuration,
)
from protosphere.geometry.gram import max_cosine

PUBLISHED = {13: 1154, 14: 1932, 17: 5730, 18: 8358, 19: 11_948, 20: 19_448, 21: 29_768}


def test_there_are_as_many_points_as_were_published():
    assert {
        member.dim: member.size for member in kissing_configuration(64)
    } == PUBLISHED


@pytest.mark.parametrize("row", CONFIGURATIONS, ids=lambda row: f"n={row[0]}")
def test_no_two_points_are_nearer_than_sixty_degrees(row):
    dim, size, _, make, _ = row
    points = make()
    assert points.shape == (size, dim)
    np.testing.assert_allclose((points**2).sum(axis=1), 1, rtol=0, atol=1e-15)
    drawn = np.random.default_rng(dim).permutation(size)[:600]
    cosines = points[drawn] @ points.T
    cosines[np.arange(len(drawn)), drawn] = -1
    near = cosines[cosines > 0.499]
    assert len(near) > 100
    np.testing.assert_allclose(
        near, 0.5, rtol=0, atol=1e-15
    )  # they touch, or are a thousandth further apart


@pytest.mark.parametrize(
    ("dim", "size"), [(13, 1154), (14, 1932), (17, 5730), (18, 8358)]
)
def test_the_certificate_is_the_fraction(dim, size):
    code = ps.construct("kissing_configuration", num_classes=size, dim=dim)
    assert code.max_cosine == Fraction(1, 2)
    assert max_cosine(code.points) == pytest.approx(0.5, abs=1e-15)


def _pfaffian(form):
    a, b, c, d, e, f = (form >> bit & 1 for bit in range(6))
    return a & f ^ b & e ^ c & d


def _orthogonal(form, other):
    return _pfaffian(form ^ other) == _pfaffian(form) ^ _pfaffian(other)


def test_forms_are_orthogonal_to_the_bent_ones_beside_them_and_differ_by_bent_ones():
    bents = (*layers.BENTS, *layers.BENTS)
    beside = [(bents[i], bents[(i + 1) % 6]) for i in range(6)]
    slots = [
        ((layers.BENT,), layers.ABOVE),
        ((layers.BENT,), layers.BELOW),
        *zip(beside, layers.BETWEEN, strict=True),
    ]
    for neighbors, forms in slots:
        assert all(
            _pfaffian(bent) and _orthogonal(form, bent)
            for form in forms
            for bent in neighbors
        )
        assert all(_pfaffian(one ^ other) for one, other in combinations(forms, 2))
    assert not set(layers.ABOVE) & set(layers.BELOW)
    assert len({form for forms in layers.BETWEEN for form in forms}) == 30


def test_best_knows_them():
    code = ps.best(num_classes=1900, dim=14, iterations=0)
    assert code.max_cosine == Fraction(1, 2)
    assert ps.best(num_classes=8300, dim=18, iterations=0).max_cosine == Fraction(1, 2)
