"""GF(2)[x]: ring laws, and the published primitive polynomials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.codes import polynomials as gf2
from protosphere.errors import InvalidArgumentError

polynomial = st.integers(0, 2**80)
non_zero = st.integers(1, 2**40)


@given(polynomial, polynomial, polynomial)
def test_product_is_commutative_associative_distributive(a: int, b: int, c: int) -> None:
    assert gf2.multiply(a, b) == gf2.multiply(b, a)
    assert gf2.multiply(gf2.multiply(a, b), c) == gf2.multiply(a, gf2.multiply(b, c))
    assert gf2.multiply(a, b ^ c) == gf2.multiply(a, b) ^ gf2.multiply(a, c)


@given(polynomial, non_zero)
def test_a_multiple_and_a_rest_leave_the_rest(a: int, b: int) -> None:
    rest = gf2.remainder(a, b)
    assert gf2.degree(rest) < gf2.degree(b)
    assert gf2.remainder(gf2.multiply(a, b) ^ rest, b) == rest
    assert gf2.remainder(a ^ rest, b) == 0


@given(st.integers(0, 200), st.integers(0, 40), st.integers(2, 400))
def test_power_is_repeated_multiplication(a: int, exponent: int, modulus: int) -> None:
    expected = gf2.remainder(1, modulus)
    for _ in range(exponent):
        expected = gf2.remainder(gf2.multiply(expected, a), modulus)
    assert gf2.power_modulo(a, exponent, modulus) == expected


def test_primitive_means_that_x_has_full_order() -> None:
    for f in range(2, 512):
        m = gf2.degree(f)
        powers, power = set[int](), 1
        for _ in range(1, 2**m):
            power = gf2.remainder(power << 1, f)
            powers.add(power)
        assert gf2.is_primitive(f) == (powers == set(range(1, 2**m))), f


def test_number_of_primitive_polynomials_of_degree_eight() -> None:
    assert sum(map(gf2.is_primitive, range(256, 512))) == 16  # phi(255) / 8


def test_smallest_primitive_polynomials() -> None:
    published = [3, 7, 11, 19, 37, 67, 131, 285, 529, 1033, 2053, 4179, 8219, 16427, 32771, 65581]
    assert [gf2.primitive_polynomial(m) for m in range(1, 17)] == published


def test_bad_input() -> None:
    with pytest.raises(InvalidArgumentError, match="'b' must be a non-zero"):
        gf2.remainder(5, 0)
    with pytest.raises(InvalidArgumentError, match="'m' must be at most 16, got 17"):
        gf2.primitive_polynomial(17)
    with pytest.raises(InvalidArgumentError, match="'m'"):
        gf2.primitive_polynomial(0)
    with pytest.raises(InvalidArgumentError, match="'exponent'"):
        gf2.power_modulo(2, -1, 7)
