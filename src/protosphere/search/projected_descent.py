"""Gradient descent with momentum on the sphere, as in the experiments of Lindström et al. (2024).

A step adds the gradient to `momentum` times the previous velocity, which gives the new velocity. Then the step
subtracts `lr` times the velocity from the points, and projects the points back to the sphere.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from protosphere.compiled.threads import single_threaded
from protosphere.errors import (
    InfeasibleError,
    InvalidArgumentError,
    as_choice,
    as_integer,
    as_positive,
)
from protosphere.geometry.sphere import normalized, uniform_points
from protosphere.types import Points, Progress, ignore

if TYPE_CHECKING:
    from torch import Tensor

    Gradient = Callable[[Tensor, float], Tensor]

DTYPES = ("float32", "float64")
MAX_LR = 1e6

MIN_THREADED_PRODUCTS = 1 << 25
"""Smallest number K^2 n of multiplications in a step for which a second thread saves more time than it costs."""


def check_descent_options(
    steps: object, lr: object, momentum: object, dtype: object, device: object
) -> None:
    """Check the options of a gradient descent with momentum.

    Args:
        steps: Number of steps, at least 0.
        lr: Step size, the factor of the velocity in each step; positive and at most 1e6.
        momentum: Factor of the previous velocity in each step, at least 0 and below 1.
        dtype: Number type, "float32" or "float64".
        device: Name of a torch device on which tensors can be made.

    Raises:
        InvalidArgumentError: If an option is not valid.
    """
    as_integer("steps", steps, minimum=0)
    if as_positive("lr", lr) > MAX_LR:
        raise InvalidArgumentError(
            f"'lr' must be at most {MAX_LR:g}, got {lr!r}; 0.1 and 0.2 are usual"
        )
    as_choice("dtype", dtype, DTYPES)
    if not (isinstance(momentum, (int, float)) and 0 <= momentum < 1):
        raise InvalidArgumentError(
            f"'momentum' must be at least 0 and below 1, got {momentum!r}"
        )
    _check_device(device)


def _check_device(device: object) -> None:
    import torch

    try:
        if str(device) == "meta":
            raise RuntimeError("it holds no numbers")
        torch.empty(0, device=str(device))
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgumentError(
            f"'device' must be one torch can use, such as 'cpu', got {device!r}: {reason}"
        ) from error


@dataclass(frozen=True)
class Descent:
    """The parameters of a gradient descent with momentum.

    Attributes:
        steps: Number of steps.
        lr: Step size: each step subtracts `lr` times the velocity from the points.
        momentum: Number of at least 0 and below 1. The velocity is `momentum` times the previous velocity, plus the
            gradient.
        dtype: Number type, "float32" or "float64".
        device: The torch device.
    """

    steps: int
    lr: float
    momentum: float
    dtype: str = "float32"
    device: str = "cpu"


def projected_descent(
    num_classes: int,
    dim: int,
    gradient: Gradient,
    descent: Descent,
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Points:
    """Minimize a function of K points on the sphere by gradient steps with momentum, from uniform random points.

    The points are normalized after each step. The function depends on an inverse temperature, which rises linearly from
    1 to K. Generators with the same seed give the same initial points on every device.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        gradient: Function of the (K, n) points and the inverse temperature that returns the (K, n) gradient.
        descent: Number of steps, step size, momentum, number type and device.
        rng: Random generator for the initial points.
        progress: Function that is called after each step with the text "optimizing", the number of finished steps and
            the number of all steps.

    Returns:
        (K, n) unit points in float64.

    Raises:
        InfeasibleError: If the descent diverges.
    """
    import torch

    start = uniform_points(num_classes, dim, rng)
    is_small = num_classes**2 * dim < MIN_THREADED_PRODUCTS
    threads = single_threaded() if is_small else nullcontext()
    with torch.inference_mode(), threads:
        dtype = getattr(torch, descent.dtype)
        points = torch.as_tensor(start, device=descent.device, dtype=dtype)
        velocity = torch.zeros_like(points)
        for step in range(descent.steps):
            temperature = 1 + (num_classes - 1) * step / max(1, descent.steps - 1)
            velocity.mul_(descent.momentum).add_(gradient(points, temperature))
            points.sub_(velocity, alpha=descent.lr)
            norms = points.square().sum(dim=1, keepdim=True).sqrt_()
            points.div_(norms)
            progress("optimizing", step + 1, descent.steps)
        found: Points = points.double().cpu().numpy()
    if not np.isfinite(found).all():
        raise InfeasibleError(
            f"'lr' must be smaller: the descent diverged, got {descent.lr!r}; try 0.1"
        )
    return normalized(found)
