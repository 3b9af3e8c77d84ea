"""The Gilbert-Varshamov distance: published values, its defining inequality, and counting against the tail."""

import random
from fractions import Fraction
from math import comb, exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.bounds import (
    gilbert_varshamov,
    gilbert_varshamov_distance,
    singleton_distance,
)
from protosphere.bounds.binomial_tail import log_tail
from protosphere.bounds.gilbert_varshamov import counted_distance, tail_distance
from protosphere.errors import InfeasibleError, InvalidArgumentError

DISTANCES = {
    100: {16: 4, 32: 11, 64: 24, 128: 52, 256: 111},
    1000: {16: 3, 64: 21, 128: 48, 512: 224},
    10: {4096: 2012},
}


@pytest.mark.parametrize(
    ("K", "n", "d"), [(K, n, d) for K, row in DISTANCES.items() for n, d in row.items()]
)
def test_known_values(K, n, d):
    assert gilbert_varshamov_distance(n, (K - 1).bit_length()) == d
    assert gilbert_varshamov(num_classes=K, dim=n).value == 1 - Fraction(2 * d, n)


@given(st.integers(1, 120).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))))
def test_it_is_the_largest_that_satisfies_the_inequality(code):
    n, k = code
    d = gilbert_varshamov_distance(n, k)
    assert 2 ** (n - k) > sum(comb(n - 1, i) for i in range(d - 1))
    assert 2 ** (n - k) <= sum(comb(n - 1, i) for i in range(d))


def test_counting_and_tail_agree_on_every_small_code():
    for n in range(3, 72):
        for k in range(2, n + 1):
            assert counted_distance(n, k) == tail_distance(n, k), (n, k)


def test_counting_and_tail_agree_on_long_codes():
    rng = random.Random(0)
    lengths = [
        2000,
        2047,
        2048,
        3001,
        4095,
        4096,
        4097,
        5000,
        *(rng.randint(2000, 5000) for _ in range(60)),
    ]
    for n in lengths:
        for k in (
            2,
            3,
            4,
            7,
            10,
            rng.randint(11, 64),
            rng.randint(65, 1100),
            rng.randint(1100, n),
            n,
        ):
            assert counted_distance(n, k) == tail_distance(n, k), (n, k)


@pytest.mark.parametrize("n", [1, 2, 5, 64, 4095, 10**7])
def test_the_ends(n):
    assert gilbert_varshamov_distance(n, n) == 1
    assert gilbert_varshamov_distance(n, 1) == n


@pytest.mark.parametrize("n", [10**6, 10**7, 10**12])
@pytest.mark.parametrize("k", [2, 3, 7, 20, 1100, 5000, 400_000])
def test_very_long_codes_are_on_the_edge_of_the_tail(n, k):
    d = gilbert_varshamov_distance(n, k)
    limit = (1 - k) * 0.6931471805599453
    assert log_tail(d - 2, n - 1) < limit
    assert d == (n + 1) // 2 or log_tail(d - 1, n - 1) > limit - 1e-9
    assert 1 <= d <= singleton_distance(n, k)


@given(
    st.integers(1, 300).flatmap(
        lambda N: st.tuples(st.just(N), st.integers(0, (N - 1) // 2))
    )
)
def test_tail_against_exact_sums(case):
    N, x = case
    exact = Fraction(sum(comb(N, i) for i in range(x + 1)), 2**N)
    assert exp(log_tail(x, N)) == pytest.approx(float(exact), rel=1e-13)


def test_what_cannot_be_says_what_can():
    with pytest.raises(
        InfeasibleError,
        match="1000 distinct binary prototypes need 'dim' of at least 10, got 9",
    ):
        gilbert_varshamov(1000, 9)
    with pytest.raises(InfeasibleError, match="smallest length: 8"):
        gilbert_varshamov_distance(7, 8)
    with pytest.raises(InfeasibleError, match="smallest length: 8"):
        singleton_distance(7, 8)
    with pytest.raises(InvalidArgumentError, match=r"at most 10\*\*18"):
        gilbert_varshamov_distance(10**30, 3)


def test_singleton():
    assert [singleton_distance(15, k) for k in (1, 7, 15)] == [15, 9, 1]
