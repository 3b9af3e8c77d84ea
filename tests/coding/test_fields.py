"""Field axioms, in full for every table."""

import numpy as np
import pytest

from protosphere.coding import polynomials as gf2
from protosphere.coding.fields import binary_field, field
from protosphere.coding.primes import prime_powers
from protosphere.errors import InvalidArgumentError


@pytest.mark.parametrize("q", prime_powers(64))
def test_every_small_field_satisfies_the_axioms(q: int) -> None:
    gf = field(q)
    add = gf.add
    mul = gf.multiply
    x = np.arange(q)
    a = x[:, None, None]
    b = x[None, :, None]
    c = x[None, None, :]
    for table in (add, mul):
        assert np.array_equal(table, table.T)
        assert np.array_equal(table[table[a, b], c], table[a, table[b, c]])
    assert np.array_equal(mul[a, add[b, c]], add[mul[a, b], mul[a, c]])
    assert np.array_equal(add[0], x)
    assert np.array_equal(mul[1], x)
    assert np.all((add == 0).sum(axis=1) == 1)
    assert np.all((mul[1:] == 1).sum(axis=1) == 1)


@pytest.mark.parametrize("q", prime_powers(256))
def test_the_powers_of_some_element_are_all_non_zero_ones(q: int) -> None:
    gf = field(q)
    powers = [np.ones(q, dtype=int)]
    for _ in range(q - 1):
        powers.append(gf.multiply[powers[-1], np.arange(q)])
    assert np.all(powers[-1][1:] == 1)
    assert any(set(run) == set(range(1, q)) for run in np.stack(powers).T.tolist())


@pytest.mark.parametrize("q", prime_powers(256))
def test_sum_is_taken_digit_by_digit(q: int) -> None:
    gf = field(q)
    digits = np.arange(q)[:, None] // gf.p ** np.arange(gf.e) % gf.p
    assert np.array_equal(digits[gf.add], (digits[:, None] + digits[None]) % gf.p)


@pytest.mark.parametrize("m", range(1, 9))
def test_two_ways_to_the_same_binary_field(m: int) -> None:
    elements = np.arange(2**m)
    products = binary_field(m).multiply(elements[:, None], elements)
    assert np.array_equal(products, field(2**m).multiply)
    polynomial = gf2.primitive_polynomial(m)
    direct = [
        [gf2.remainder(gf2.multiply(a, b), polynomial) for b in range(2**m)]
        for a in range(2**m)
    ]
    assert np.array_equal(products, direct)


@pytest.mark.parametrize("m", range(1, 17))
def test_powers_and_traces(m: int) -> None:
    gf = binary_field(m)
    a = np.arange(2**m)
    square = gf.multiply(a, a)
    assert np.array_equal(gf.power(a, 2), square)
    assert np.array_equal(gf.multiply(gf.power(a, -1), a), a != 0)
    assert np.all(gf.power(a, 0) == 1)
    conjugate = a
    trace = np.zeros_like(a)
    for _ in range(m):
        trace = trace ^ conjugate
        conjugate = gf.multiply(conjugate, conjugate)
    assert np.array_equal(gf.trace(a), trace)
    assert gf.trace(a).sum() == 2 ** (m - 1)


def test_tables_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        field(4).add[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        binary_field(4).exp[0] = 0


@pytest.mark.parametrize(("q", "nearest"), [(6, 5), (12, 11), (1000, 256), (257, 256)])
def test_bad_orders_are_told_the_nearest(q: int, nearest: int) -> None:
    with pytest.raises(InvalidArgumentError, match=f"got {q}; nearest: {nearest}"):
        field(q)
