"""Reed-Muller codes: parameters, duality, nesting, order of the words."""

from math import comb

import numpy as np
import pytest
from tests.coding.built_codes import rank

from protosphere.coding import linear
from protosphere.coding.linear import smallest_weight
from protosphere.coding.reed_muller import dimension, generator_rows, order_for
from protosphere.errors import InfeasibleError, InvalidArgumentError

ORDERS = [(r, m) for m in range(9) for r in range(m + 1)]


@pytest.mark.parametrize(("r", "m"), ORDERS)
def test_parameters(r: int, m: int) -> None:
    code = generator_rows(r, m)
    assert code.shape == (
        sum(comb(m, i) for i in range(r + 1)),
        linear.packed_length(2**m),
    )
    assert rank(code, 2**m) == len(code)
    assert len(code) > 18 or smallest_weight(code, 2**m) == 2 ** (m - r)


@pytest.mark.parametrize(("r", "m"), [(r, m) for r, m in ORDERS if r < m])
def test_dual_is_the_reed_muller_code_of_the_complementary_order(
    r: int, m: int
) -> None:
    code = generator_rows(r, m)
    other = generator_rows(m - r - 1, m)
    assert len(code) + len(other) == 2**m
    assert not np.any(
        linear.unpack(code, 2**m).astype(int) @ linear.unpack(other, 2**m).T % 2
    )


def test_rows_are_monomials_by_degree() -> None:
    x = np.arange(8)
    x1 = x & 1
    x2 = x >> 1 & 1
    x3 = x >> 2 & 1
    expected = [x1 | 1, x1, x2, x3, x1 * x2, x1 * x3, x2 * x3, x1 * x2 * x3]
    assert np.array_equal(linear.unpack(generator_rows(3, 3), 8), expected)


def test_first_rows_are_the_first_rows() -> None:
    assert np.array_equal(generator_rows(2, 6, 10), generator_rows(2, 6)[:10])
    assert generator_rows(10, 20, 25).shape == (25, 2**17)


def test_first_order_words_come_in_sylvester_order() -> None:
    sylvester = np.array([[1]])
    for _ in range(5):
        sylvester = np.block([[sylvester, sylvester], [sylvester, -sylvester]])
    words = linear.unpack(linear.codewords(generator_rows(1, 5), 64), 32)
    assert np.array_equal(1 - 2 * words[0::2].astype(int), sylvester)
    assert np.array_equal(1 - 2 * words[1::2].astype(int), -sylvester)


def test_order_for_is_the_smallest_that_suffices() -> None:
    for m in range(8):
        for k in range(2**m + 3):
            r = order_for(k, m)
            assert (r is None) == (k > 2**m)
            if r is not None:
                assert dimension(r, m) >= k
                assert r == 0 or dimension(r - 1, m) < k


def test_bad_input() -> None:
    with pytest.raises(InvalidArgumentError, match="'r' must be at most m = 4, got 5"):
        generator_rows(5, 4)
    with pytest.raises(InvalidArgumentError, match="'r'"):
        dimension(-1, 4)
    with pytest.raises(InfeasibleError, match="'count' must be at most k = 5"):
        generator_rows(1, 4, 6)
