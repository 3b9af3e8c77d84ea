"""What no pair of words exceeds is called exact only where a pair attains it: shortened cosets against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.geometry.gram import largest_inner_product, max_cosine, sign_rows
from protosphere.geometry.sphere import normalized
from protosphere.spherical.certificate import certified
from protosphere.spherical.structures import GluedWords, ShortenedWords


@pytest.fixture(params=[0, 1 << 38], ids=["bound", "all pairs"], autouse=True)
def few_points(monkeypatch, request):
    """Few words are certified as very many are, with or without the time to measure all pairs."""
    structures = "protosphere.spherical.structures"
    monkeypatch.setattr(f"{structures}.shortened.ALL_PAIRS_POINTS", 1)
    monkeypatch.setattr(f"{structures}.shortened.MOST_PAIR_PRODUCTS", request.param)
    monkeypatch.setattr(f"{structures}.glued.MOST_PAIR_PRODUCTS", request.param)
    monkeypatch.setattr(
        "protosphere.coding.shortened_cosets.MOST_PROBE_PRODUCTS", 10**5
    )


def random_words(rng):
    """The first words of a chain that was cut anywhere, often a part of the last coset."""
    m = int(rng.integers(3, 6))
    code = ShortenedCosets(
        m, int(rng.integers(0, m + 2)), int(rng.integers(0, min(6, (1 << m) // 2)))
    )
    count = int(
        rng.choice(
            [
                rng.integers(2, 40),
                (rng.integers(1, 9) << code.coset_bits) + rng.integers(0, 3),
            ]
        )
    )
    return ShortenedWords.of(code, int(np.clip(count, 2, min(300, 1 << 2 * m))))


def test_words_of_shortened_cosets():
    rng = np.random.default_rng(0)
    for _ in range(100):
        words = random_words(rng)
        true = (
            largest_inner_product(sign_rows(words.packed_signs, words.dim)) / words.dim
        )
        found = certified(ps.Placement("words", words), None)
        assert (
            float(found.interval[0]) - 1e-15 <= true <= float(found.interval[1]) + 1e-15
        )


def test_words_of_shortened_cosets_with_glue_vectors():
    rng = np.random.default_rng(1)
    for _ in range(100):
        words = random_words(rng)
        group = 1 << int(rng.integers(0, 8))
        glue_vectors = normalized(
            rng.standard_normal(
                (max(2, -(-words.count // group)), int(rng.integers(2, 5)))
            )
        )
        if rng.random() < 0.5:
            glue_vectors = ps.construct(
                "simplex", num_classes=len(glue_vectors), dim=len(glue_vectors) - 1
            ).points
        points = GluedWords(words, float(rng.uniform(0.05, 0.95)), glue_vectors, group)
        found = certified(ps.Placement("words and glue vectors", points), None)
        true = min(1.0, max_cosine(points.unit_rows(0, points.count)))
        assert found.interval[0] <= true <= found.interval[1]
