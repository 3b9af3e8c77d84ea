"""Of codes with equal max cosines, or nearly so, the most even first."""

from collections.abc import Sequence

import numpy as np

from protosphere.code.evenness import confident_scale, evenness
from protosphere.code.spherical_code import SphericalCode
from protosphere.search.margin_descent import margin_descent
from protosphere.types import Points, Progress, ignore

PREFERENCES = ("separated", "even")

TIE, ENERGY_DIGITS = 1e-9, 12
"""Max cosines this close are equal, and energies that agree so far: the order of before decides."""

LARGEST_COMPARED = 5_000
"""Up to so many classes energies are compared."""

STEPS, LR = 500, 0.1


def most_even(codes: Sequence[SphericalCode], tolerance: float = 0.0) -> int:
    """Which of these has the least energy, at one scale, of those within `tolerance` of the lowest max cosine."""
    values = np.array([float(code.max_cosine) for code in codes])
    near: list[int] = np.flatnonzero(values <= values.min() + max(TIE, tolerance)).tolist()
    K = codes[0].num_classes
    if len(near) == 1 or values.min() >= 1 or K > LARGEST_COMPARED:
        return near[0]
    scale = confident_scale(K, float(values.min()))
    return min(near, key=lambda i: round(evenness(codes[i], scale).energy, ENERGY_DIGITS))


def spread_points(code: SphericalCode, progress: Progress = ignore) -> Points:
    """Points that minimise the energy of a head on this code, from its own."""
    scale = confident_scale(code.num_classes, float(code.max_cosine))
    return margin_descent(code.points, 0.0, (scale, scale), STEPS, LR, progress)
