"""The regular simplex in closed form."""

import numpy as np

from protosphere.types import Indices, Points


def simplex_points(num_points: int) -> Points:
    """Return the K vertices of a regular simplex in R^(K-1), whose cosines are all -1/(K-1).

    The vertices are the rows of a Helmert matrix without its constant column, scaled to unit length. Coordinates are
    counted from j = 1. In coordinate j, the first j points have the value f_j, the next point has -j f_j, and the
    others have 0. Here f_j is sqrt(K / ((K - 1) j (j + 1))).

    Args:
        num_points: Number K of points.

    Returns:
        Unit vectors, as rows.
    """
    j = np.arange(1, num_points)
    columns = np.tri(num_points - 1, num_points)
    columns[j - 1, j] = -j
    columns *= simplex_factors(num_points, j)[:, None]
    return columns.T


def simplex_factors(num_points: int | Indices, j: Indices) -> Points:
    """Return sqrt(K / ((K - 1) j (j + 1))) for K = `num_points` and each entry of `j`.

    This number is coordinate j of each of the first j vertices of the regular simplex of K vertices that
    `simplex_points` returns.

    Args:
        num_points: Number K of vertices, or an array with a number for each entry of `j`.
        j: Indices of coordinates, counted from 1.
    """
    return np.sqrt(num_points / ((num_points - 1) * j * (j + 1.0)))
