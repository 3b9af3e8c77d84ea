"""Reed-Solomon codes: polynomials with k_q coefficients in the field GF(q), evaluated at n_q elements of the field.

The elements are those that are stored as the integers 0, ..., n_q - 1. See MacWilliams & Sloane, chapter 10. Because 0
is among the field elements, these are the extended codes of section 3.
"""

import numpy as np
from numpy.typing import ArrayLike

from protosphere.coding.fields import Elements, field
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer


def reed_solomon_words(q: int, n_q: int, k_q: int, indices: ArrayLike) -> Elements:
    """Return codewords of a Reed-Solomon code by their indices.

    The codeword with index j is computed from the k_q base-q digits of j, least significant first. The digits are the
    coefficients f_0, f_1, ... of a polynomial f. Symbol i of the codeword is the value of f at the field element that
    is stored as the integer i.

    Args:
        q: Order of the field, a prime power of at most 256.
        n_q: Length of the code, which is the number of symbols of a codeword; at most q.
        k_q: Dimension of the code, which is the number of coefficients of f; at most n_q.
        indices: Indices of codewords, from 0 to q**k_q - 1.

    Returns:
        Codewords, as rows of symbols 0, ..., q - 1.

    Raises:
        InfeasibleError: If n_q is larger than q, or k_q is larger than n_q.
        InvalidArgumentError: If an index is out of range.

    >>> reed_solomon_words(5, 4, 2, [7]).tolist()  # 7 = 2 + 1 * 5, f(x) = 2 + x
    [[2, 3, 4, 0]]
    """
    gf = field(q)
    as_integer("k_q", k_q, minimum=1)
    if as_integer("n_q", n_q, minimum=1) > q:
        raise InfeasibleError(f"'n_q' must be at most q = {q}, got {n_q}")
    if k_q > n_q:
        raise InfeasibleError(f"'k_q' must be at most n_q = {n_q}, got {k_q}")
    rest = numbers = np.asarray(indices, dtype=np.int64).reshape(-1)
    words = np.zeros((len(numbers), n_q), dtype=np.uint8)
    powers = np.ones(n_q, dtype=np.uint8)
    for _ in range(k_q):
        rest, coefficients = np.divmod(rest, q)
        words = gf.add[words, gf.multiply[coefficients[:, None], powers]]
        powers = gf.multiply[powers, np.arange(n_q)]
    if np.any(rest):
        got = f"{numbers.min()}..{numbers.max()}"
        raise InvalidArgumentError(
            f"'indices' must lie in 0, ..., {q}**{k_q} - 1, got {got}"
        )
    return words
