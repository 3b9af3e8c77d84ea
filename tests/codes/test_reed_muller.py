"""Reed-Muller codes: parameters, duality, nesting, order of the words."""

from math import comb

import numpy as np
import pytest
from tests.codes.built_codes import rank

from protosphere.codes import linear
from protosphere.codes.linear import smallest_weight
from protosphere.codes.reed_muller import dimension, generator_rows, order_for, reed_muller
from protosphere.errors import InfeasibleError, InvalidArgumentError

ORDERS = [(r, m) for m in range(9) for r in range(m + 1)]


@pytest.mark.parametrize(("r", "m"), ORDERS)
def test_parameters(r: int, m: int) -> None:
    code = reed_muller(r, m)
    assert (code.n, code.k) == (2**m, sum(comb(m, i) for i in range(r + 1)))
    assert rank(code.generator, code.n) == code.k
    assert code.k > 18 or smallest_weight(code.generator, code.n) == 2 ** (m - r)


@pytest.mark.parametrize(("r", "m"), [(r, m) for r, m in ORDERS if r < m])
def test_dual_is_the_reed_muller_code_of_the_complementary_order(r: int, m: int) -> None:
    code, other = reed_muller(r, m), reed_muller(m - r - 1, m)
    assert code.k + other.k == code.n
    assert not np.any(linear.unpack(code.generator, code.n).astype(int) @ linear.unpack(other.generator, code.n).T % 2)


def test_rows_are_monomials_by_degree() -> None:
    x = np.arange(8)
    x1, x2, x3 = x & 1, x >> 1 & 1, x >> 2 & 1
    expected = [x1 | 1, x1, x2, x3, x1 * x2, x1 * x3, x2 * x3, x1 * x2 * x3]
    assert np.array_equal(linear.unpack(reed_muller(3, 3).generator, 8), expected)


def test_first_rows_are_the_first_rows() -> None:
    assert np.array_equal(generator_rows(2, 6, 10), reed_muller(2, 6).generator[:10])
    assert generator_rows(10, 20, 25).shape == (25, 2**17)


def test_first_order_words_come_in_sylvester_order() -> None:
    sylvester = np.array([[1]])
    for _ in range(5):
        sylvester = np.block([[sylvester, sylvester], [sylvester, -sylvester]])
    words = linear.unpack(linear.codewords(reed_muller(1, 5).generator, 64), 32)
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
        reed_muller(5, 4)
    with pytest.raises(InvalidArgumentError, match="'r'"):
        dimension(-1, 4)
    with pytest.raises(InfeasibleError, match="'count' must be at most k = 5"):
        generator_rows(1, 4, 6)
