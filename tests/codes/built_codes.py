"""BCH codes with their generators, and what is counted of any code: for tests alone."""

import numpy as np

from protosphere.codes.bch import generator_polynomial, systematic_rows
from protosphere.codes.linear import LinearCode, codewords, row_reduce, weights


def bch(m: int, k: int, even: bool = False) -> LinearCode:
    n = 2**m - 1
    return LinearCode(n, systematic_rows(generator_polynomial(m, k, even), n, 0, k))


def rank(generator: np.ndarray, n: int) -> int:
    return len(row_reduce(generator, np.arange(n))[1])


def weight_counts(code: LinearCode) -> dict[int, int]:
    """How many words have each weight that occurs."""
    found, counts = np.unique(weights(codewords(code.generator, 1 << code.k)), return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))
