"""Generators of BCH codes, and what is counted of any code: for tests alone."""

import numpy as np

from protosphere.coding.bch import generator_polynomial, systematic_rows
from protosphere.coding.linear import codewords, row_reduce, weights


def bch(m: int, k: int, even: bool = False) -> np.ndarray:
    return systematic_rows(generator_polynomial(m, k, even), 2**m - 1, 0, k)


def rank(generator: np.ndarray, n: int) -> int:
    return len(row_reduce(generator, np.arange(n))[1])


def weight_counts(generator: np.ndarray) -> dict[int, int]:
    """How many words have each weight that occurs."""
    found, counts = np.unique(
        weights(codewords(generator, 1 << len(generator))), return_counts=True
    )
    return dict(zip(found.tolist(), counts.tolist(), strict=True))
