"""Layers of layers: what they promise, and the measurement that needs no pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.elementary.apple_peeling import (
    peeled_angle,
    peeled_points,
    peeled_size,
)
from protosphere.geometry.closest_pair import closest_pair_cosine
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import padded, uniform_points
from protosphere.spherical.structures import layers, plain
from protosphere.types import UpperBound, ignore


@given(st.integers(2, 400), st.integers(3, 7))
def test_the_layers_hold_so_many_that_far_apart(count, dim):
    angle = peeled_angle(count, dim)
    points = peeled_points(dim, angle)
    assert len(points) == peeled_size(dim, angle) >= count
    assert max_cosine(points) <= np.cos(angle) + 1e-12


@given(st.integers(2, 300), st.integers(2, 7), st.integers(0, 1000))
def test_the_tree_finds_the_closest_pair(count, dim, seed):
    points = uniform_points(count, dim, np.random.default_rng(seed))
    assert closest_pair_cosine(points) == pytest.approx(max_cosine(points), abs=1e-12)


def test_coinciding_points_have_cosine_one():
    points = np.vstack(
        [uniform_points(20, 3, np.random.default_rng(0)), [[0.6, 0.8, 0.0]] * 3]
    )
    assert closest_pair_cosine(points) == pytest.approx(1)


def test_a_quarter_of_a_million_points_in_space_and_back_from_a_file(tmp_path):
    code = ps.best(num_classes=250_000, dim=3)
    assert code.choice.considered[0].scheme == "apple_peeling"
    assert float(code.certificate.converse) < float(code.max_cosine) < 0.99998
    code.save(tmp_path / "many.safetensors")
    assert ps.load(tmp_path / "many.safetensors").max_cosine == code.max_cosine


@pytest.mark.parametrize("dim", [2, 3, 5, 7])
def test_many_points_are_certified_by_their_layers(dim, monkeypatch):
    measured = ps.best(num_classes=3000, dim=dim, iterations=0, catalogue=False)
    monkeypatch.setattr(layers, "MEASURED_POINTS", 100)
    by_layers = ps.best(num_classes=3000, dim=dim, iterations=0, catalogue=False)
    assert by_layers.certificate.method == layers.METHOD
    assert float(by_layers.max_cosine) == pytest.approx(
        float(measured.max_cosine), abs=1e-13
    )


def test_layers_without_an_attaining_pair_give_an_upper_bound(monkeypatch):
    monkeypatch.setattr(layers, "MEASURED_POINTS", 100)
    points = ps.construct("apple_peeling", num_classes=3000, dim=4).points
    apart = layers.LayeredPoints(points[::40], angle=peeled_angle(3000, 4))
    monkeypatch.setattr(layers, "MEASURED_POINTS", 10)
    bound, _ = apart.largest_cosine(ignore)
    assert isinstance(bound, UpperBound)
    assert max_cosine(apart.points) < bound


@pytest.mark.parametrize("dim", [7, 8, 12])
def test_nearest_neighbors_measure_points_padded_with_zeros(dim, monkeypatch):
    monkeypatch.setattr(plain, "ALL_PAIRS_POINTS", 100)
    points = padded(uniform_points(700, 7, np.random.default_rng(dim)), dim)
    nearest, method = plain.Plain(points).largest_cosine(ignore)
    assert "nearest" in method
    assert nearest == pytest.approx(max_cosine(points), abs=1e-14)
