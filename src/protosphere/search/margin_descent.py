"""Descent on the log-sum-exp of cosines less a margin for each pair."""

import numpy as np

from protosphere.geometry.sphere import normalized
from protosphere.types import Points, Progress, ignore

MOMENTUM = 0.9


def margin_descent(
    start: Points,
    margins: Points | float,
    temperatures: tuple[float, float],
    steps: int,
    lr: float,
    progress: Progress = ignore,
) -> Points:
    """Points after momentum descent while the temperature goes from the first to the last, rows kept at length 1."""
    points = start
    velocity = np.zeros_like(start)
    first, last = temperatures
    for step in range(steps):
        temperature = first + (last - first) * step / max(1, steps - 1)
        velocity = MOMENTUM * velocity + margin_gradient(points, margins, temperature)
        points = normalized(points - lr * velocity)
        progress("optimising", step + 1, steps)
    return points


def margin_gradient(
    points: Points, margins: Points | float, temperature: float
) -> Points:
    """Gradient of (1/t) log sum_{i<j} exp(t (<c_i, c_j> - m_ij)): each pair pushes by its share of the sum."""
    shares = points @ points.T - margins
    np.fill_diagonal(shares, -np.inf)
    shares = np.exp(temperature * (shares - shares.max()))
    return (shares @ points) * (2 / shares.sum())
