"""Blockwise answers equal those of the whole Gram matrix, however the blocks fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protosphere.geometry import gram
from protosphere.geometry.sphere import uniform_points

SHAPES = st.tuples(st.integers(2, 40), st.integers(1, 20), st.integers(0, 2**32))


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(gram, "BLOCK_ENTRIES", 64)


def upper(matrix):
    return matrix[np.triu_indices(len(matrix), 1)]


@given(SHAPES)
@settings(deadline=None)
def test_max_cosine_is_that_of_the_whole_gram_matrix(shape):
    points = uniform_points(shape[0], shape[1], np.random.default_rng(shape[2]))
    assert gram.max_cosine(points) == pytest.approx(
        upper(points @ points.T).max(), abs=1e-15
    )


@given(SHAPES)
@settings(deadline=None)
def test_histogram_counts_every_pair_once(shape):
    points = uniform_points(shape[0], shape[1], np.random.default_rng(shape[2]))
    edges = np.linspace(-1, 1, 8)
    counts = gram.bin_cosines(points, edges)
    assert counts.sum() == shape[0] * (shape[0] - 1) // 2
    whole = np.histogram(np.clip(upper(points @ points.T), -1, 1), bins=edges)[0]
    assert np.abs(counts - whole).sum() <= 2, (
        "a cosine on an edge may fall to either side"
    )


@given(SHAPES)
@settings(deadline=None)
def test_sign_counts_are_exact(shape):
    bits = np.random.default_rng(shape[2]).integers(0, 2, shape[:2])
    products = upper((2 * bits - 1) @ (2 * bits - 1).T)
    values, counts = np.unique(products, return_counts=True)
    counted = gram.sign_inner_product_counts(np.packbits(bits, axis=1), shape[1])
    assert counted == dict(zip(values.tolist(), counts.tolist(), strict=True))


def test_progress_ends_at_its_total():
    seen = []
    gram.max_cosine(
        np.eye(30), lambda stage, done, total: seen.append((stage, done, total))
    )
    assert seen[-1][1] == seen[-1][2] == len(seen)
