"""Gradient descent with momentum on the log-sum-exp of cosines minus margins.

A margin is a number that is subtracted from the cosine of a pair of points. The function that is minimized is (1/t) log
sum exp(t (cosine - margin)), where the sum is over all pairs. The number t is called the inverse temperature. The
arguments `temperature` and `temperatures` are inverse temperatures.
"""

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
    """Minimize a log-sum-exp of the cosines of K points minus margins, by gradient steps with momentum.

    The function is (1/t) log sum exp(t (cosine - margin)), where the sum is over all pairs. The number t is called the
    inverse temperature. It changes linearly from step to step. The points are normalized after each step.

    Args:
        start: The (K, n) initial points.
        margins: The symmetric K x K matrix of the margins of the pairs, or one number for all pairs.
        temperatures: The inverse temperatures of the first and of the last step.
        steps: Number of steps.
        lr: Step size. Each step subtracts `lr` times the velocity from the points. The velocity is 0.9 times the
            previous velocity, plus the gradient.
        progress: Function that is called after each step with the text "optimizing", the number of finished steps and
            the number of all steps.

    Returns:
        The (K, n) unit points after the last step.
    """
    points = start
    velocity = np.zeros_like(start)
    first, last = temperatures
    for step in range(steps):
        temperature = first + (last - first) * step / max(1, steps - 1)
        gradient = margin_gradient(points, margins, temperature)
        velocity = MOMENTUM * velocity + gradient
        points = normalized(points - lr * velocity)
        progress("optimizing", step + 1, steps)
    return points


def margin_gradient(
    points: Points, margins: Points | float, temperature: float
) -> Points:
    """Return the gradient of (1/t) log sum_{i<j} exp(t (<c_i, c_j> - m_ij)) with respect to the points c_i.

    Args:
        points: The (K, n) points c_i, one per row.
        margins: The symmetric K x K matrix of the margins m_ij, or one number for all pairs.
        temperature: The inverse temperature t.

    Returns:
        The (K, n) gradient, not projected to the sphere.
    """
    levels = points @ points.T - margins
    np.fill_diagonal(levels, -np.inf)
    shares = np.exp(temperature * (levels - levels.max()))
    return (shares @ points) * (2 / shares.sum())
