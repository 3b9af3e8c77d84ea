"""Points from a projector: the rows of its orthonormal factor, scaled to unit vectors."""

from collections.abc import Callable

import numpy as np

from protosphere.geometry.sphere import normalized
from protosphere.types import Points


def frame(project: Callable[[Points], Points], num_points: int, dim: int) -> Points:
    """K unit vectors of R^n whose Gram matrix is (K/n) P, P the projector of rank n that `project` applies to columns.

    Columns of the range are found from fixed random ones, orthonormalised, and then both once more: what the first
    round leaves outside of the range, a small multiple of the rounding, the second takes out.
    """
    columns: Points = np.random.default_rng(0).standard_normal((num_points, dim))
    for _ in range(2):
        columns = np.linalg.qr(project(columns))[0]
    return normalized(columns)
