"""Search for the closest pair of many points in few dimensions, without comparing all pairs."""

import numpy as np

from protosphere.types import Indices, Points

DEEPEST = 7
"""Largest dimension in which `closest_pair_cosine` is used; there, it takes a minute for a million points."""


def closest_pair_cosine(points: Points) -> float:
    """Return the largest cosine of two rows of a matrix of unit vectors, where a row is not compared with itself.

    Args:
        points: At least two unit vectors, as rows.

    >>> round(closest_pair_cosine(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])), 9)
    0.8
    """
    from scipy.spatial import cKDTree

    neighbors: Indices = np.asarray(
        cKDTree(points).query(points, k=2, workers=-1)[1], dtype=np.int64
    )
    others = np.where(
        neighbors[:, 0] == np.arange(len(points)), neighbors[:, 1], neighbors[:, 0]
    )
    return float(np.einsum("ij,ij->i", points, points[others]).max())
