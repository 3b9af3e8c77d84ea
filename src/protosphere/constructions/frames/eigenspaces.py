"""Points from a projector: the rows of its orthonormal factor, scaled to unit vectors."""

import numpy as np

from protosphere.geometry.sphere import normalized
from protosphere.types import Points


def frame(gram: Points, dim: int) -> Points:
    """K unit vectors of R^n with these cosines off the diagonal, where the Gram matrix is K/n times a projector.

    Columns of the range are found from fixed random ones, orthonormalised, and then both once more: what the first
    round leaves outside of the range, a small multiple of the rounding, the second takes out.
    """
    np.fill_diagonal(gram, 1.0)
    columns: Points = np.random.default_rng(0).standard_normal((len(gram), dim))
    for _ in range(2):
        columns = np.linalg.qr(gram @ columns)[0]
    return normalized(columns)
