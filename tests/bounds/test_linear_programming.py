"""Delsarte's bound: the kissing numbers it is famous for, and where it is above Levenshtein's."""

import numpy as np
import pytest

from protosphere.bounds import converse, levenshtein, linear_programming
from protosphere.bounds.gegenbauer import gegenbauer_rows, neighbors
from protosphere.bounds.linear_programming import delsarte_size


@pytest.mark.parametrize(
    ("n", "size"),
    [(3, 13.158), (4, 25.558), (5, 46.338), (8, 240), (16, 8313.8), (24, 196560)],
)
def test_kissing_numbers(n, size):
    found = delsarte_size(n, 0.5)
    assert found == pytest.approx(size, rel=1e-3)
    assert found > size - 1e-2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "K", "value"), [(3, 24, 0.7139), (4, 24, 0.4785), (8, 1000, 0.6640)]
)
def test_above_levenshtein(n, K, value):
    bound = linear_programming(K, n)
    assert bound.theorem == "delsarte_lp (numerical)"
    assert float(bound) == pytest.approx(value, abs=2e-4)
    assert float(bound) > float(levenshtein(K, n)) + 3e-3
    proved = converse(K, n)
    assert proved.theorem != bound.theorem
    assert converse(K, n, linear_programming=True) == max(proved, bound, key=float)


@pytest.mark.parametrize(
    ("n", "K"),
    [
        (8, 240),
        (16, 100),
        (16, 1000),
        (32, 1000),
        (2, 9),
        (1, 5),
        (16, 20),
        (10**6, 10**7),
    ],
)
def test_levenshtein_where_nothing_is_won(n, K):
    assert linear_programming(K, n) == levenshtein(K, n)


@pytest.mark.parametrize("n", [2, 3, 8, 100])
def test_gegenbauer_is_one_at_one_and_alternates_at_minus_one(n):
    rows = gegenbauer_rows(n, 12, np.array([1.0, -1.0, 0.3]))
    assert np.allclose(rows[:, 0], 1)
    assert np.allclose(rows[:, 1], (-1.0) ** np.arange(13))
    assert np.allclose(neighbors(n, 12, 0.3), rows[11:, 2], atol=1e-15)


def test_gegenbauer_of_the_plane_are_chebyshev():
    angles = np.linspace(0, np.pi, 9)
    assert np.allclose(
        gegenbauer_rows(2, 7, np.cos(angles)), np.cos(np.outer(np.arange(8), angles))
    )


def test_neighbors_keep_their_ratio_where_values_underflow():
    lower, upper = neighbors(10**6, 400, 0.01)
    assert lower != 0
    assert upper != 0
