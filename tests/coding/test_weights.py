"""Weights of words: by brute force, and as published."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.coding.built_codes import bch, weight_counts

from protosphere.coding import linear
from protosphere.coding.linear import smallest_weight
from protosphere.coding.reed_muller import generator_rows


@st.composite
def generators(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """A systematic generator [I | P] with random P, and n."""
    k = draw(st.integers(1, 8))
    checks = draw(st.integers(1, 8))
    tail = np.random.default_rng(draw(st.integers(0, 2**32))).integers(
        0, 2, (k, checks)
    )
    return linear.pack(np.hstack([np.eye(k, dtype=np.int64), tail])), k + checks


@given(generators())
def test_smallest_weight_agrees_with_brute_force(case: tuple[np.ndarray, int]) -> None:
    generator, n = case
    bits = linear.unpack(generator, n).astype(int)
    words = (np.arange(2 ** len(bits))[:, None] >> np.arange(len(bits)) & 1) @ bits % 2
    assert smallest_weight(generator, n) == words.sum(axis=1)[1:].min()


PUBLISHED = {  # MacWilliams & Sloane, chapters 1, 13, 15 and 16
    "RM(1,8)": (generator_rows(1, 8), {0: 1, 128: 510, 256: 1}),
    "RM(2,4)": (
        generator_rows(2, 4),
        {0: 1, 4: 140, 6: 448, 8: 870, 10: 448, 12: 140, 16: 1},
    ),
    "RM(2,5)": (
        generator_rows(2, 5),
        {0: 1, 8: 620, 12: 13888, 16: 36518, 20: 13888, 24: 620, 32: 1},
    ),
    "BCH(15,5)": (bch(4, 5), {0: 1, 7: 15, 8: 15, 15: 1}),
    "BCH(15,7)": (bch(4, 7), {0: 1, 5: 18, 6: 30, 7: 15, 8: 15, 9: 30, 10: 18, 15: 1}),
    "Hamming(7,4)": (bch(3, 4), {0: 1, 3: 7, 4: 7, 7: 1}),
    "BCH(31,11)": (
        bch(5, 11),
        {0: 1, 11: 186, 12: 310, 15: 527, 16: 527, 19: 310, 20: 186, 31: 1},
    ),
    "simplex(127,7)": (bch(7, 7, even=True), {0: 1, 64: 127}),
    "simplex(1023,10)": (bch(10, 10, even=True), {0: 1, 512: 1023}),
    "Gold dual(127,14)": (bch(7, 14, even=True), {0: 1, 56: 4572, 64: 8255, 72: 3556}),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_distributions(name: str) -> None:
    code, expected = PUBLISHED[name]
    assert weight_counts(code) == expected
