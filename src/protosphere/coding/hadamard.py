"""Hadamard matrices: square matrices of +-1 with orthogonal rows.

The constructions are Sylvester's (1867) for powers of two, Paley's (1933) for orders q + 1 and 2(q + 1) with q a prime
power, and Kronecker products of these. The smallest multiples of 4 for which these constructions give no matrix are 92,
116 and 156.
"""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.fields import LARGEST_ORDER, field
from protosphere.coding.primes import prime_power
from protosphere.errors import InfeasibleError, as_integer

Signs = NDArray[np.int8]

LARGEST_HADAMARD = 1 << 14


def hadamard_orders(limit: int) -> tuple[int, ...]:
    """Return every order up to a limit for which this module can build a Hadamard matrix, in ascending order.

    Args:
        limit: Largest order to return; no order above 2^14 is returned.

    >>> hadamard_orders(30)
    (1, 2, 4, 8, 12, 16, 20, 24, 28)
    """
    largest = min(limit, LARGEST_HADAMARD)
    return tuple(
        order for order in range(1, largest + 1) if _first_kronecker_factor(order)
    )


@lru_cache(maxsize=64)
def hadamard(order: int) -> Signs:
    """Return a matrix of +-1 with orthogonal rows (a Hadamard matrix), as a read-only int8 array.

    Args:
        order: Number of rows and columns.

    Raises:
        InfeasibleError: If no construction in this module has this order; the message names the nearest orders.

    >>> hadamard(4).tolist()
    [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
    """
    factor = _first_kronecker_factor(as_integer("order", order, minimum=1))
    if factor is None:
        orders = hadamard_orders(1 << max(6, (order - 1).bit_length()))
        nearest = sorted(sorted(orders, key=lambda other: abs(other - order))[:2])
        raise InfeasibleError(
            f"'order' has no Hadamard matrix here, got {order}; nearest: {nearest[0]}, {nearest[1]}"
        )
    if order <= 2:
        matrix = np.array([[1, 1], [1, -1]], dtype=np.int8)[:order, :order]
    elif order != factor:
        matrix = np.kron(hadamard(factor), hadamard(order // factor))
    elif _is_field(order - 1):
        matrix = _paley_one(order - 1)
    else:
        matrix = _paley_two(order // 2 - 1)
    matrix.flags.writeable = False
    return matrix


@cache
def _first_kronecker_factor(order: int) -> int | None:
    if order == 1:
        return 1
    if order > LARGEST_HADAMARD or (order > 2 and order % 4):
        return None
    # the factor `order` stands for a matrix that is built without a Kronecker product
    for factor in (2, *range(4, order // 4 + 1, 4), order):
        if order % factor:
            continue
        has_matrix = factor == 2 or _is_paley_order(factor)
        if has_matrix and _first_kronecker_factor(order // factor):
            return factor
    return None


def _is_paley_order(order: int) -> bool:
    return _is_field(order - 1) or (order % 8 == 4 and _is_field(order // 2 - 1))


def _is_field(q: int) -> bool:
    pair = prime_power(q)
    return pair is not None and (pair[1] == 1 or q <= LARGEST_ORDER)


def _paley_one(q: int) -> Signs:
    # for q = 3 mod 4: the sum of the identity matrix and a skew conference matrix
    conference = _conference_matrix(q)
    conference[1:, 0] = -1
    return conference + np.eye(q + 1, dtype=np.int8)


def _paley_two(q: int) -> Signs:
    # for q = 1 mod 4
    conference = _conference_matrix(q)
    one = np.eye(q + 1, dtype=np.int8)
    plus = conference + one
    minus = conference - one
    return np.block([[plus, minus], [minus, -plus]])


def _conference_matrix(q: int) -> Signs:
    # the first row and the first column are 0, 1, 1, ...; the entry for the elements x and y of GF(q) is 0 if x = y,
    # 1 if x - y is a nonzero square, and -1 otherwise
    x = np.arange(q)
    chi = np.full(q, -1, dtype=np.int8)
    if q > LARGEST_ORDER:
        chi[x * x % q] = 1
        differences = (x[:, None] - x) % q
    else:
        tables = field(q)
        chi[np.diag(tables.multiply)] = 1
        differences = tables.add[:, np.argmin(tables.add, axis=1)]
    chi[0] = 0
    conference = np.pad(chi[differences], ((1, 0), (1, 0)), constant_values=1)
    conference[0, 0] = 0
    return conference
