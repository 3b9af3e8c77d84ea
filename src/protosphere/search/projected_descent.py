"""Projected momentum descent on the sphere, as the paper's figures were made."""

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
LARGEST_LR = 1e6

WORTH_TWO_THREADS = 1 << 25
"""Products a step, K^2 n, below which a second thread costs more in waiting than it saves."""


def check_descent_options(
    steps: object, lr: object, momentum: object, dtype: object, device: object
) -> None:
    """Raise unless the options of a descent make sense."""
    import torch

    as_integer("steps", steps, minimum=0)
    if as_positive("lr", lr) > LARGEST_LR:
        raise InvalidArgumentError(
            f"'lr' must be at most {LARGEST_LR:g}, got {lr!r}; 0.1 and 0.2 are usual"
        )
    as_choice("dtype", dtype, DTYPES)
    if not (isinstance(momentum, (int, float)) and 0 <= momentum < 1):
        raise InvalidArgumentError(
            f"'momentum' must be at least 0 and below 1, got {momentum!r}"
        )
    try:
        if str(device) == "meta":
            raise RuntimeError("it holds no numbers")
        torch.empty(0, device=str(device))
    except (RuntimeError, AssertionError) as error:
        got = f"got {device!r}: {str(error).splitlines()[0]}"
        raise InvalidArgumentError(
            f"'device' must be one torch can use, such as 'cpu', {got}"
        ) from error


@dataclass(frozen=True)
class Descent:
    """How to descend: how many steps of which size, how much of the last velocity to keep, and in which numbers."""

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
    """Points after momentum descent from a uniform start, every row renormalised after each step.

    `gradient(points, temperature)` is followed while the temperature rises linearly from 1 to K. The start comes from
    numpy's generator, so that a seed means the same start on every device.
    """
    import torch

    start = uniform_points(num_classes, dim, rng)
    alone = num_classes**2 * dim < WORTH_TWO_THREADS
    with torch.inference_mode(), single_threaded() if alone else nullcontext():
        points = torch.as_tensor(
            start, device=descent.device, dtype=getattr(torch, descent.dtype)
        )
        velocity = torch.zeros_like(points)
        for step in range(descent.steps):
            temperature = 1 + (num_classes - 1) * step / max(1, descent.steps - 1)
            velocity.mul_(descent.momentum).add_(gradient(points, temperature))
            points.sub_(velocity, alpha=descent.lr)
            points.div_(points.square().sum(dim=1, keepdim=True).sqrt_())
            progress("optimising", step + 1, descent.steps)
        found: Points = points.double().cpu().numpy()
    if not np.isfinite(found).all():
        raise InfeasibleError(
            f"'lr' must be smaller: the descent ran off to infinity, got {descent.lr!r}; try 0.1"
        )
    return normalized(found)
