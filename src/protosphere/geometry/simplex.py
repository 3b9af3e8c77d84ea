"""The regular simplex in a closed form."""

import numpy as np

from protosphere.types import Indices, Points


def simplex_points(num_points: int) -> Points:
    """K unit vectors of R^(K-1) whose cosines are all -1/(K-1), by a closed form.

    The rows of a Helmert matrix, without its constant column, scaled to the sphere: in coordinate j the first j points
    stand at 1 and point j at -j, up to a factor. No recursion: O(K^2) and as long as there is memory.
    """
    j = np.arange(1, num_points)
    columns = np.tri(num_points - 1, num_points)
    columns[j - 1, j] = -j
    columns *= simplex_factors(num_points, j)[:, None]
    return columns.T


def simplex_factors(num_points: int | Indices, j: Indices) -> Points:
    """What stands in coordinate j, counted from 1, of the points before point j."""
    return np.sqrt(num_points / ((num_points - 1) * j * (j + 1.0)))
