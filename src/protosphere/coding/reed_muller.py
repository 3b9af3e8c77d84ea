"""Reed-Muller codes. A codeword of RM(r, m) consists of the values of a polynomial in m bits at all 2^m points.

All polynomials of degree at most r are used. The length is n = 2^m, and the minimum distance is 2^(m-r) (MacWilliams &
Sloane, chapter 13, theorem 3). Coordinate x_i of point j is bit i - 1 of the integer j, where bit 0 is the least
significant. So the codewords of RM(1, m) are in the order of Sylvester's Hadamard matrix: codeword 2a is row a, and
codeword 2a + 1 its complement.
"""

from functools import reduce
from itertools import chain, combinations, islice
from math import comb

import numpy as np

from protosphere.coding.linear import pack
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer
from protosphere.types import PackedBits


def dimension(r: int, m: int) -> int:
    """Return the dimension C(m, 0) + ... + C(m, r) of the Reed-Muller code RM(r, m).

    Args:
        r: Order, from 0 to m.
        m: Number of variables.

    Raises:
        InvalidArgumentError: If r or m is not an integer in its range.
    """
    as_integer("m", m, minimum=0)
    if as_integer("r", r, minimum=0) > m:
        raise InvalidArgumentError(f"'r' must be at most m = {m}, got {r}")
    return sum(comb(m, degree) for degree in range(r + 1))


def order_for(k_needed: int, m: int) -> int | None:
    """Return the smallest order r for which the Reed-Muller code RM(r, m) has at least a given dimension.

    Args:
        k_needed: Dimension that the code must have at least.
        m: Number of variables.

    Returns:
        The order; None if even RM(m, m), the whole space, is too small.

    >>> order_for(7, 6), order_for(8, 6), order_for(5, 2)
    (1, 2, None)
    """
    return next((r for r in range(m + 1) if dimension(r, m) >= k_needed), None)


def generator_rows(r: int, m: int, count: int | None = None) -> PackedBits:
    """Return the packed generator matrix of the Reed-Muller code RM(r, m), or its first rows.

    The rows are the monomials 1, x1, ..., xm, x1 x2, x1 x3, ... of degree at most r, in order of degree. Each row has
    the values of its monomial at all 2^m points with m coordinates 0 or 1.

    Args:
        r: Order, from 0 to m.
        m: Number of variables.
        count: Number of rows to return, beginning with the first row. None, the default, means all rows.

    Returns:
        One row of 2^m bits for each monomial, packed with eight bits per byte.

    Raises:
        InvalidArgumentError: If an argument is not an integer in its range.
        InfeasibleError: If the generator matrix has fewer than `count` rows.
    """
    k = dimension(r, m)
    count = k if count is None else as_integer("count", count, minimum=0)
    if count > k:
        raise InfeasibleError(
            f"'count' must be at most k = {k} for RM({r},{m}), got {count}"
        )
    one = pack(np.ones(1 << m, dtype=np.uint8))
    variables = [pack(np.arange(1 << m) >> i & 1) for i in range(m)]
    monomials = chain.from_iterable(
        combinations(range(m), degree) for degree in range(r + 1)
    )
    rows = np.empty((count, len(one)), dtype=np.uint8)
    for row, monomial in zip(rows, islice(monomials, count), strict=True):
        row[:] = reduce(np.bitwise_and, (variables[i] for i in monomial), one)
    return rows
