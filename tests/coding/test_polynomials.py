"""GF(2)[x]: ring laws, and the published primitive polynomials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.coding import polynomials as gf2
from protosphere.errors import InvalidArgumentError

polynomial = st.integers(0, 2**80)
non_zero = st.integers(1, 2**40)


@given(polynomial, polynomial, polynomial)
def test_product_is_commutative_associative_distributive(
    a: int, b: int, c: int
) -> None:
    assert gf2.multiply(a, b) == gf2.multiply(b, a)
    assert gf2.multiply(gf2.multiply(a, b), c) == gf2.multiply(a, gf2.multiply(b, c))
    assert gf2.multiply(a, b ^ c) == gf2.multiply(a, b) ^ gf2.multiply(a, c)


@given(polynomial, non_zero)
def test_a_multiple_and_a_rest_leave_the_rest(a: int, b: int) -> None:
    rest = gf2.remainder(a, b)
    assert gf2.degree(rest) < gf2.degree(b)
    assert gf2.remainder(gf2.multiply(a, b) ^ rest, b) == rest
    assert gf2.remainder(a ^ rest, b) == 0


def order_of_x(f: int) -> int:
    """How many powers of x there are modulo f before 1 comes back; 0 where it never does."""
    power = gf2.remainder(2, f)
    order = 1
    while power not in (0, 1):
        power = gf2.remainder(power << 1, f)
        order = order + 1
    return order if power else 0


@pytest.mark.parametrize("m", range(1, 13))
def test_the_primitive_polynomials_are_the_smallest_modulo_which_x_has_full_order(
    m: int,
) -> None:
    smallest = next(
        f for f in range((1 << m) | 1, 2 << m, 2) if order_of_x(f) == (1 << m) - 1
    )
    assert gf2.primitive_polynomial(m) == smallest


def test_bad_input() -> None:
    with pytest.raises(InvalidArgumentError, match="'b' must be a non-zero"):
        gf2.remainder(5, 0)
    with pytest.raises(InvalidArgumentError, match="'m' must be at most 16, got 17"):
        gf2.primitive_polynomial(17)
    with pytest.raises(InvalidArgumentError, match="'m'"):
        gf2.primitive_polynomial(0)
