"""Gram matrices of the lattices of two chains, LAMINATED and COXETER_TODD.

A chain is a sequence of vectors. Its first n vectors are a basis of the lattice of dimension n.

The first n vectors of LAMINATED span the laminated lattice Lambda_n. For n up to 8 these are sqrt(2) times A1, A2, A3,
D4, D5, E6, E7 and E8. For n from 9 to 24, except 11, 12 and 13, they are the densest known lattices, with the
Barnes-Wall lattice at 16 and the Leech lattice at 24. For n = 11, 12 and 13 there are several laminated lattices; those
with the most minimal vectors are taken. The first 11, 12 and 13 vectors of COXETER_TODD span K11, K12 and K13, which
are denser (Conway & Sloane, SPLAG, chapter 6). All these lattices are even and have minimum squared norm 4.
"""

from functools import lru_cache

import numpy as np

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Indices

LEAST_NORM = 4

LAMINATED = """
    4
    -2 4
    -2 2 4
    2 -2 0 4
    2 0 0 0 4
    -2 2 0 -2 0 4
    2 -2 0 2 2 -2 4
    -2 0 2 0 0 0 0 4
    2 0 -1 0 2 -1 1 -1 4
    -1 1 2 0 1 0 0 2 1 4
    1 -1 -2 0 1 0 0 0 2 0 4
    1 -1 -2 0 -1 0 0 -2 1 -2 0 4
    -2 1 1 -1 0 2 -1 2 0 2 0 0 4
    -2 2 2 0 -1 1 -1 1 -2 0 -2 -1 0 4
    1 1 0 0 2 1 1 -1 2 1 1 0 0 -1 4
    2 0 0 2 1 -1 1 -1 2 0 0 1 0 0 1 4
    2 -2 -2 1 1 -1 1 -1 2 0 2 1 0 -2 0 1 4
    -1 2 1 -1 1 2 -1 1 1 1 0 0 2 1 1 1 -1 4
    -2 2 2 -1 -1 0 -1 1 0 1 -1 -1 0 2 0 0 -2 1 4
    -2 1 1 0 -1 1 -1 2 0 2 0 -1 2 1 0 0 -1 2 2 4
    1 1 0 -1 1 0 -1 -1 2 1 0 0 0 -1 1 1 0 1 1 0 4
    -1 -1 0 -1 -1 0 -1 1 0 0 1 1 1 -1 -1 -1 0 0 0 0 0 4
    -2 1 2 -1 -1 0 -1 1 -2 1 -1 -2 0 1 -1 -2 -1 -1 1 0 -1 0 4
    1 1 1 1 2 0 1 0 2 1 1 -1 0 0 2 2 0 2 1 1 1 -1 -1 4
"""

COXETER_TODD = """
    4
    2 4
    2 0 4
    2 2 2 4
    2 2 0 2 4
    2 0 2 0 0 4
    2 2 2 2 2 1 4
    2 2 2 2 1 0 2 4
    2 0 1 0 0 1 1 0 4
    2 1 2 2 2 0 2 2 0 4
    1 2 1 2 2 -1 2 2 -1 2 4
    2 0 1 1 0 2 0 0 2 0 -1 4
    -1 1 -1 -1 -1 0 -1 0 -1 -1 0 0 4
"""

CHAINS = {
    "laminated": (LAMINATED, range(1, 25)),
    "coxeter_todd": (COXETER_TODD, range(11, 14)),
}
"""Lower triangle of the Gram matrix of each chain, and the dimensions of its lattices."""


@lru_cache(maxsize=32)
def gram_matrix(chain: str, dim: int) -> Indices:
    """Return the Gram matrix of a basis of a laminated or Coxeter-Todd lattice with minimum squared norm 4.

    Args:
        chain: 'laminated' for the laminated lattices Lambda_1 to Lambda_24, or 'coxeter_todd' for K11, K12 and K13.
        dim: Dimension n of the lattice.

    Returns:
        The n x n inner products of the basis vectors, which are integers. The array is read-only.

    Raises:
        InvalidArgumentError: If there is no such lattice.

    >>> gram_matrix("laminated", 2).tolist()
    [[4, -2], [-2, 4]]
    """
    if chain not in CHAINS or dim not in CHAINS[chain][1]:
        served = "; ".join(
            f"{name} {dims[0]} to {dims[-1]}" for name, (_, dims) in CHAINS.items()
        )
        raise InvalidArgumentError(
            f"'lattice' must be one of {served}, got {brief(chain)} {dim}"
        )
    rows = [list(map(int, row.split())) for row in CHAINS[chain][0].split("\n") if row][
        :dim
    ]
    triangle = np.array([row + [0] * (dim - len(row)) for row in rows])
    gram = triangle + np.tril(triangle, -1).T
    gram.flags.writeable = False  # the cache hands it to everyone
    return gram
