"""Gauss-Legendre quadrature on [0, 1]."""

from functools import lru_cache

import numpy as np

from protosphere.types import Points


@lru_cache(maxsize=4)
def gauss_legendre(count: int) -> tuple[Points, Points]:
    """Return the nodes and the weights of Gauss-Legendre quadrature on [0, 1].

    The quadrature with m nodes integrates polynomials of degree up to 2m - 1 exactly.

    Args:
        count: Number m of nodes.

    >>> nodes, weights = gauss_legendre(3)
    >>> round(float(weights @ nodes**5), 12)
    0.166666666667
    """
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2
