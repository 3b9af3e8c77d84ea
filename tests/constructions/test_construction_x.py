"""Shortened chains and Construction X: packed or dense, measured by cosets or by pairs, the points are the same."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.coding.linear import unpack
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.constructions.best.candidates import best_member
from protosphere.constructions.block_codes.coset_forms import nested_codes
from protosphere.constructions.build import placement_of
from protosphere.spherical.structures import glued, shortened


def gram(code, count):
    signs = 1 - 2 * unpack(code.words(count), code.dim).astype(int)
    products = signs @ signs.T
    return products[np.triu_indices(count, 1)]


CUTS = st.tuples(st.integers(3, 6), st.integers(0, 5), st.integers(0, 3)).filter(
    lambda cut: cut[1] <= cut[0]
)


@given(CUTS, st.integers(0, 2), st.data())
@settings(deadline=None, max_examples=60)
def test_shortened_words_keep_what_the_theorem_promises(cut, level_number, data):
    code = ShortenedCosets(*cut)
    level = nested_codes(cut[0])[min(level_number, len(nested_codes(cut[0])) - 1)]
    size = level.size >> code.shortened
    if size < 2:
        return
    count = data.draw(st.integers(2, min(size, 600)))
    assert gram(code, count).max() <= code.max_cosine(level.max_cosine) * code.dim


@given(CUTS, st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_whole_cosets_are_measured_exactly_by_their_differences(cut, cosets):
    code = ShortenedCosets(*cut)
    slopes = code.slopes if cosets > code.slopes else 1
    cosets = min(
        cosets // slopes * slopes,
        nested_codes(cut[0])[-1].size >> (cut[0] + 1),
        600 >> code.coset_bits,
    )
    count = cosets << code.coset_bits
    if count < 2 or (cosets & (cosets - 1)):
        return
    ceiling = max(
        code.closest(cosets).max(),
        code.closest_within_coset() if code.coset_bits else -code.dim,
    )
    assert gram(code, count).max() == ceiling


REQUESTS = [(600, 40), (1000, 70), (2500, 64), (3000, 33), (900, 20), (5000, 130)]


@pytest.mark.slow
@pytest.mark.parametrize(("num_classes", "dim"), REQUESTS)
def test_packed_and_dense_points_are_the_same(num_classes, dim, monkeypatch, tmp_path):
    dense = ps.construct("construction_x", num_classes=num_classes, dim=dim)
    assert dense.placement.structure.name == "plain"
    monkeypatch.setattr(glued, "LARGEST_DENSE", 0)
    packed = ps.construct(
        "construction_x", num_classes=num_classes, dim=dim, mapping="random", seed=4
    )
    assert packed.placement.structure.name == "glued"
    assert packed.signs is None, "the words are not the whole points"
    order = np.random.default_rng(np.random.SeedSequence(4).spawn(2)[1]).permutation(
        num_classes
    )
    np.testing.assert_allclose(packed.points, dense.points[order], atol=1e-15)
    assert float(packed.max_cosine) == pytest.approx(float(dense.max_cosine), abs=1e-12)
    packed.save(tmp_path / "x.safetensors")
    assert np.array_equal(ps.load(tmp_path / "x.safetensors").points, packed.points)
    assert ps.certify(tmp_path / "x.safetensors") == packed.certificate


@pytest.mark.parametrize(("num_classes", "dim"), REQUESTS)
def test_the_ceiling_by_cosets_covers_all_pairs_and_keeps_the_guarantee(
    num_classes, dim, monkeypatch
):
    by_pairs = float(
        ps.construct("construction_x", num_classes=num_classes, dim=dim).max_cosine
    )
    monkeypatch.setattr(glued, "LARGEST_DENSE", 0)
    monkeypatch.setattr(shortened, "ALL_PAIRS_POINTS", 0)
    code = ps.construct("construction_x", num_classes=num_classes, dim=dim)
    assert (
        by_pairs - 1e-12
        <= float(code.max_cosine)
        <= float(code.certificate.guarantee) + 1e-12
    )


@pytest.mark.parametrize(
    ("num_classes", "dim", "value"),
    [
        (100, 16, "1/5"),
        (1000, 32, "7/31"),
        (1000, 64, "3/31"),
        (10_000, 64, "13/61"),
        (10_000, 128, "15/127"),
    ],
)
def test_shortening_reaches_what_no_power_of_two_does(num_classes, dim, value):
    candidate = best_member(num_classes, dim)
    assert candidate.max_cosine == Fraction(value)


def test_a_padded_code_of_many_classes_stays_packed():
    candidate = best_member(100_000, 512)
    placed = placement_of(candidate.first(100_000))
    assert placed.points is None
    assert (
        sum(array.nbytes for array in placed.structure.point_arrays().values())
        < 7_000_000
    )
    assert np.linalg.norm(placed.unit_rows(99_990, 100_000), axis=1) == pytest.approx(1)
