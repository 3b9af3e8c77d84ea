"""Hadamard matrices: every order that is claimed, and honest refusals of the others."""

import numpy as np
import pytest

from protosphere.coding.hadamard import hadamard, hadamard_orders
from protosphere.errors import InfeasibleError, InvalidArgumentError

MISSED = {92, 116, 156, 172, 184, 188}
PALEY_OVER_PRIMES_ABOVE_256 = (264, 524, 628)
PALEY_OVER_PRIME_POWERS = (28, 52, 100, 244, 340)  # q = 27, 25, 49, 243, 169


@pytest.mark.parametrize(
    "order",
    [*hadamard_orders(200), *PALEY_OVER_PRIMES_ABOVE_256, *PALEY_OVER_PRIME_POWERS],
)
def test_rows_are_orthogonal_signs(order: int) -> None:
    matrix = hadamard(order)
    assert matrix.dtype == np.int8
    assert set(np.unique(matrix)) <= {-1, 1}
    wide = matrix.astype(np.int64)
    assert np.array_equal(wide @ wide.T, order * np.eye(order, dtype=np.int64))


def test_orders_are_all_but_the_known_gaps() -> None:
    assert set(hadamard_orders(200)) == {1, 2, *range(4, 201, 4)} - MISSED
    assert list(hadamard_orders(5000)) == sorted(set(hadamard_orders(5000)))
    assert hadamard_orders(0) == ()
    assert hadamard_orders(10**30)[-1] == 1 << 14


def test_products_of_orders_are_orders() -> None:
    orders = set(hadamard_orders(1000))
    assert all(a * b in orders for a in orders for b in orders if a * b <= 1000)


def test_powers_of_two_are_sylvesters() -> None:
    i = np.arange(32)
    assert np.array_equal(
        hadamard(32), 1 - 2 * (np.bitwise_count(i[:, None] & i) & 1).astype(np.int8)
    )


def test_a_matrix_is_read_only_and_made_once() -> None:
    assert hadamard(12) is hadamard(12)
    with pytest.raises(ValueError, match="read-only"):
        hadamard(12)[0, 0] = -1


def test_refusals_name_the_nearest_orders() -> None:
    with pytest.raises(InfeasibleError, match="got 92; nearest: 88, 96"):
        hadamard(92)
    with pytest.raises(InfeasibleError, match="got 20000; nearest: "):
        hadamard(20000)
    with pytest.raises(
        InvalidArgumentError, match="'order' must be an integer of at least 1, got 0"
    ):
        hadamard(0)
