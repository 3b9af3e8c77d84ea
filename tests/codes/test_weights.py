"""Weight distributions: by brute force, through the dual, and as published."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.codes import linear
from protosphere.codes.bch import bch
from protosphere.codes.distance import minimum_distance
from protosphere.codes.reed_muller import reed_muller
from protosphere.codes.weights import (
    counted_distribution,
    first_order_distribution,
    macwilliams_transform,
    smallest_weight,
    weight_distribution,
)
from protosphere.errors import InfeasibleError, InvalidArgumentError


@st.composite
def generators(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """A systematic generator [I | P] with random P, and n."""
    k, checks = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    tail = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 2, (k, checks))
    return linear.pack(np.hstack([np.eye(k, dtype=np.int64), tail])), k + checks


def brute_force(generator: np.ndarray, n: int) -> tuple[int, ...]:
    bits = linear.unpack(generator, n).astype(int)
    words = (np.arange(2 ** len(bits))[:, None] >> np.arange(len(bits)) & 1) @ bits % 2
    return tuple(np.bincount(words.sum(axis=1), minlength=n + 1).tolist())


@given(generators())
def test_counts_agree_with_brute_force_and_with_the_dual(case: tuple[np.ndarray, int]) -> None:
    generator, n = case
    k, expected = len(generator), brute_force(*case)
    assert weight_distribution(generator, n) == expected
    of_dual = counted_distribution(linear.dual(generator, n), n)
    assert macwilliams_transform(of_dual, n, n - k) == expected
    assert macwilliams_transform(expected, n, k) == of_dual
    lightest = next(i for i in range(1, n + 1) if expected[i])
    assert smallest_weight(generator, n) == lightest
    assert minimum_distance(generator, n).value == lightest


@given(generators(), st.data())
def test_smallest_weight_of_the_first_words(case: tuple[np.ndarray, int], data: st.DataObject) -> None:
    generator, n = case
    count = data.draw(st.integers(2, 2 ** len(generator)))
    words = linear.unpack(linear.codewords(generator, count), n)
    assert smallest_weight(generator, n, count) == words.sum(axis=1)[1:].min()


PUBLISHED = {  # MacWilliams & Sloane, chapters 1, 13, 15 and 16
    "RM(2,4)": (reed_muller(2, 4), {0: 1, 4: 140, 6: 448, 8: 870, 10: 448, 12: 140, 16: 1}),
    "RM(2,5)": (reed_muller(2, 5), {0: 1, 8: 620, 12: 13888, 16: 36518, 20: 13888, 24: 620, 32: 1}),
    "BCH(15,5)": (bch(4, 5), {0: 1, 7: 15, 8: 15, 15: 1}),
    "BCH(15,7)": (bch(4, 7), {0: 1, 5: 18, 6: 30, 7: 15, 8: 15, 9: 30, 10: 18, 15: 1}),
    "Hamming(7,4)": (bch(3, 4), {0: 1, 3: 7, 4: 7, 7: 1}),
    "BCH(31,11)": (bch(5, 11), {0: 1, 11: 186, 12: 310, 15: 527, 16: 527, 19: 310, 20: 186, 31: 1}),
    "simplex(127,7)": (bch(7, 7, even=True), {0: 1, 64: 127}),
    "simplex(1023,10)": (bch(10, 10, even=True), {0: 1, 512: 1023}),
    "Gold dual(127,14)": (bch(7, 14, even=True), {0: 1, 56: 4572, 64: 8255, 72: 3556}),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_distributions(name: str) -> None:
    code, expected = PUBLISHED[name]
    distribution = weight_distribution(code)
    assert {i: count for i, count in enumerate(distribution) if count} == expected
    assert len(distribution) == code.n + 1


@pytest.mark.parametrize("m", range(1, 9))
def test_first_order_reed_muller_closed_form_is_what_one_counts(m: int) -> None:
    code = reed_muller(1, m)
    assert weight_distribution(code) == first_order_distribution(m) == brute_force(code.generator, code.n)


def test_closed_form_reaches_further_than_counting() -> None:
    assert Counter(weight_distribution(reed_muller(1, 16))) == Counter({0: 2**16 - 2, 1: 2, 2**17 - 2: 1})


def test_high_rate_codes_come_from_their_dual() -> None:
    hamming = weight_distribution(bch(7, 120))
    assert sum(hamming) == 2**120
    assert hamming[:5] == (1, 0, 0, 127 * 126 // 6, 127 * 126 * 124 // 24)
    assert macwilliams_transform(hamming, 127, 120) == tuple({0: 1, 64: 127}.get(i, 0) for i in range(128))
    assert weight_distribution(reed_muller(6, 6))[:3] == (1, 64, 64 * 63 // 2)


def test_distances_say_how_they_are_known() -> None:
    found = minimum_distance(bch(7, 120).generator, 127)
    assert (found.value, found.exact, found.reason) == (3, True, "MacWilliams from 2**7 dual words")
    unknown = minimum_distance(bch(7, 64).generator, 127, designed=21, reason="BCH bound")
    assert (unknown.value, unknown.exact, unknown.reason) == (21, False, "BCH bound")


def test_bad_input() -> None:
    with pytest.raises(InfeasibleError, match="k = 22, n - k = 42"):
        weight_distribution(reed_muller(2, 6))
    with pytest.raises(InvalidArgumentError, match="'n'"):
        weight_distribution(bch(3, 4).generator)
    with pytest.raises(InvalidArgumentError, match="'distribution' must hold n"):
        macwilliams_transform((1, 0, 0), 3, 1)
    with pytest.raises(InvalidArgumentError, match="'count'"):
        smallest_weight(bch(3, 4).generator, 7, count=1)
